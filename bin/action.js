// The entry of the GitHub action (action.yml): runs one command of the amp beside it.
const { spawn } = require("node:child_process");
const { appendFileSync } = require("node:fs");
const path = require("node:path");

const OWN = ["RUN", "SUMMARY", "OUTPUTS", "WORKING-DIRECTORY"];
const SECRETS = ["API-KEY", "ACCESS-TOKEN"];

const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;
/** What `with` gives, by name as the runner writes it: without an input, its text is empty. */
const inputs = Object.entries(process.env)
  .filter(([name, value]) => name.startsWith("INPUT_") && value)
  .map(([name, value]) => [name.slice("INPUT_".length).replaceAll(/[ _]/g, "-"), value]);
const { RUN = "", SUMMARY, OUTPUTS, ...own } = Object.fromEntries(inputs);
const words = wordsOf(RUN.replace(/^\s*amp\s/, "")) ?? [];
const isAsked = words.some((word) => /^(?:-o|--(?:output|json|jq)\b)/.test(word));

if (words.length === 0) {
  end(2, "run must be one command of amp, with its quotes closed");
} else if (isAsked && OUTPUTS) {
  end(2, "outputs cannot be combined with a format in run");
} else {
  for (const [name, value] of inputs) if (SECRETS.includes(name)) write("add-mask", value.trim());
  run();
}

function run() {
  const format = OUTPUTS ? ["-o", "env", "--fields", OUTPUTS] : ["-o", "markdown"];
  const wanted = OUTPUTS ? GITHUB_OUTPUT : SUMMARY === "true" && GITHUB_STEP_SUMMARY;
  const target = isAsked ? undefined : wanted;
  const given = [path.join(__dirname, "amp.js"), ...words, ...(target ? format : [])];
  const child = spawn(process.execPath, given, {
    cwd: own["WORKING-DIRECTORY"],
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A job that is cancelled: amp still releases its lock.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      texts[name] += text;
      process[name].write(text);
    });
  }
  child.on("error", (error) => end(1, error.message));
  child.on("close", (code) => {
    if (target) appendFileSync(target, texts.stdout);
    // The runner shows an annotation in the summary; findings of a check are annotated by amp.
    const [, text, json] = /^(?:✗ (.*)| +"message": "(.*)",?)$/mu.exec(texts.stderr) ?? [];
    const said = text ?? json ?? `amp ended with exit code ${code}; the log says why`;
    end(code ?? 1, code === 0 || /^::error /m.test(texts.stderr) ? undefined : said);
  });
}

/** What amp finds: each input but the action's own is the variable of its name. */
function environment() {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("INPUT_"));
  const variables = inputs
    .filter(([name]) => !OWN.includes(name))
    .map(([name, value]) => [`AMP_${name.replaceAll("-", "_")}`, value]);
  return Object.fromEntries([...others, ...variables]);
}

/** @param {string} [message] of the annotation */
function end(code, message) {
  if (message !== undefined) write("error", message, " title=amp");
  if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `exit-code=${code}\n`);
  process.exitCode = code;
}

/** Writes a command of the runner. */
function write(command, text, properties = "") {
  const data = text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  process.stdout.write(`::${command}${properties}::${data}\n`);
}

/** The words of a line, quoted as in a shell; nothing in it is expanded. */
function wordsOf(line) {
  const word = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gsu;
  if (line.replaceAll(word, "").trim() !== "") return undefined;
  return line.match(word)?.map((word) =>
    word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gsu, (_, single, double, plain) => {
      return single ?? plain ?? double.replaceAll(/\\(["\\$`])/g, "$1");
    }),
  );
}
