// The entry of the GitHub action (action.yml): runs one command of the amp beside it.
const { spawn } = require("node:child_process");
const { randomUUID } = require("node:crypto");
const { appendFileSync } = require("node:fs");
const path = require("node:path");

const { env } = process;
const OWN = ["RUN", "SUMMARY", "OUTPUTS", "WORKING-DIRECTORY"];
const SECRETS = ["API-KEY", "ACCESS-TOKEN"];

const inputs = Object.entries(env)
  .filter(([name, value]) => name.startsWith("INPUT_") && value)
  .map(([name, value]) => [name.slice(6).replaceAll(/[ _]/g, "-"), value]);
const own = Object.fromEntries(inputs.filter(([name]) => OWN.includes(name)));
const variables = inputs
  .filter(([name]) => !OWN.includes(name))
  .map(([name, value]) => [`AMP_${name.replaceAll("-", "_")}`, value]);

for (const [name, value] of inputs) {
  if (SECRETS.includes(name)) command("add-mask", value);
}
main();

function main() {
  const { RUN = "", SUMMARY, OUTPUTS } = own;
  const words = wordsOf(RUN);
  if (words[0] === "amp") words.shift();
  const asked = words.some((word) => /^(?:-o|--(?:output|json|jq)\b)/.test(word));
  if (asked && OUTPUTS) return fail(words, 2, "outputs cannot be combined with --output in run");
  const target = asked ? undefined : OUTPUTS ? "GITHUB_OUTPUT" : SUMMARY === "true" && SUMMARY_FILE;
  const format = OUTPUTS ? ["-o", "env", "--fields", OUTPUTS] : ["-o", "markdown"];
  const child = spawn(
    process.execPath,
    [path.join(__dirname, "amp.js"), ...words, ...(target ? format : [])],
    { cwd: own["WORKING-DIRECTORY"], env: environment(), stdio: ["ignore", "pipe", "pipe"] },
  );
}
