import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Licence } from "../../src/runtime/licences.ts";
import { NODE } from "../built.ts";
import { machine } from "../hosts.ts";
import { createHome, isBundle, ROOT, runAmp, start, startAmp, wordsOfAmp } from "./program.ts";

vi.setConfig({ testTimeout: 120_000 });

interface Package {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Package;

/** What every build embeds, whatever is shaken off. */
const EMBEDDED = ["chalk", "commander", "hono", "jq-web", "ky", "yaml", "zod"];

test("shows its build and its runtime", async () => {
  const { code, stdout, stderr } = await runAmp(["version", "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const facts = JSON.parse(stdout) as { commit?: string };
  expect(facts).toMatchObject({
    version: own.version,
    runtime: isBundle
      ? {
          name: "node",
          version: execFileSync(NODE, ["--version"], { encoding: "utf8" }).trim().slice(1),
        }
      : { name: "bun", version: own.devDependencies.bun },
    platform: process.platform,
    arch: process.arch,
    build: isBundle ? "bundle" : "standalone",
  });
  if (facts.commit !== undefined) expect(facts.commit).toMatch(/^[0-9a-f]{12}(?:-dirty)?$/u);
});

test("names the upgrade of the way in which it was installed", async () => {
  const answer = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"version":"99.1.0"}';
  const host = await machine((socket) => socket.once("data", () => socket.end(answer)));
  const home = createHome();
  const check = async (program: readonly [string, ...string[]]) => {
    const env = { AMP_REGISTRY: `http://${host}/npm` };
    const { code, stdout, stderr } = await start([...program, "version", "--check"], { home, env })
      .ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.replace(`amp 99.1.0 is available (you have ${own.version}): `, "");
  };
  const plain = await check(wordsOfAmp());
  if (!isBundle) return expect(plain).toBe("run install.sh of the release 99.1.0\n");
  expect(plain).toBe("npm install --global amp-admin@99.1.0\n");
  const ways = { Cellar: "brew upgrade amp-admin\n", scoop: "scoop update amp-admin\n" };
  for (const [folder, upgrade] of Object.entries(ways)) {
    const place = join(home.folder, folder, "amp-admin");
    cpSync(join(ROOT, "bin"), join(place, "bin"), { recursive: true });
    for (const name of ["dist", "package.json"]) symlinkSync(join(ROOT, name), join(place, name));
    // What is on the PATH is a link there.
    const link = join(home.folder, `amp-by-${folder}`);
    symlinkSync(join(place, "bin/amp.js"), link);
    expect(await check([NODE, link])).toBe(upgrade);
  }
});

test("runs jq, which is embedded, and has its licence", async () => {
  const words = ["commands", "--jq", '.[] | select(.command == "amp version") | .command'];
  expect(await runAmp(words)).toMatchObject({ code: 0, stdout: "amp version\n", stderr: "" });
  const failed = await runAmp(["commands", "--jq", ".["]);
  expect([failed.code, failed.stdout]).toEqual([2, ""]);
});

test("ends a jq program that never does, with Ctrl-C or by --deadline", async () => {
  const endless = ["commands", "--jq", "last(range(infinite))"];
  const { child, ended } = startAmp(endless);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stdout: "",
    stderr: expect.stringContaining("Interrupted"),
  });
  const late = await runAmp(endless, { env: { AMP_DEADLINE: "1500ms" } });
  expect(late).toMatchObject({ code: 124, stdout: "" });
  expect(late.stderr).toContain("The time limit of AMP_DEADLINE was reached");
});

test("ends after a jq program that needs more than 2 GB", async () => {
  const program = "(.[60000000] = 1) as $a | (.[50000000] = 2) as $b | 1";
  const { code, stdout, stderr } = await runAmp(["commands", "--jq", `null | ${program}`]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("cannot allocate memory");
});

test("prints the licences of what is in it, and of nothing else", async () => {
  const { stdout } = await runAmp(["version", "--licences", "--json"]);
  const licences = JSON.parse(stdout) as Licence[];
  const names = licences.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(EMBEDDED));
  for (const tool of ["vitest", "esbuild", "typescript"]) expect(names).not.toContain(tool);
  expect(names.includes("bun")).toBe(!isBundle);
  for (const name of EMBEDDED) {
    const versions = licences.filter((one) => one.name === name).map(({ version }) => version);
    expect(versions, name).toEqual([own.devDependencies[name]]);
  }
  for (const { name, licence, text } of licences) {
    expect(licence, name).not.toBe("");
    expect(text.length, name).toBeGreaterThan(400);
  }

  const plain = await runAmp(["version", "--licences"]);
  expect(plain.stdout).toMatch(/^== commander \d+\.\d+\.\d+ \(MIT\)\n\n\(The MIT License\)/mu);
});
