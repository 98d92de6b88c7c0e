import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { INTEGRATION, serveLongList } from "../network/long-list-server.ts";
import { isBundle, PROGRAM, start, startAmp } from "./program.ts";

vi.setConfig({ testTimeout: 120_000 });

/** What many a system brings along. */
const OWN = "/usr/bin/node";
const isOld = isBundle && /^v(?:1\d|20|21)\./u.test(versionOf(OWN));

function versionOf(node: string): string {
  return spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "";
}

test.skipIf(!isOld)("an old Node.js gets one sentence, no stack", async () => {
  const { code, stdout, stderr } = await start([OWN, PROGRAM, "--version"]).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const version = versionOf(OWN).trim().slice(1);
  expect(stderr).toBe(
    `amp needs Node.js 22.19 or newer; this is ${version}. Update Node.js, run amp with a newer one, or build a program that contains one: npm run build:standalone.\n`,
  );
});

test.skipIf(!isBundle).each([
  { version: "22.18.0", code: 1 },
  { version: "18.20.4", code: 1 },
  { version: "22.19.0", code: 0 },
  { version: "26.0.0", code: 0 },
])("draws the line at 22.19: $version", async ({ version, code }) => {
  const pretend = `Object.defineProperty(process, "versions", {
    value: { ...process.versions, node: "${version}" },
  })`;
  const ended = await start([
    process.execPath,
    "--import",
    `data:text/javascript,${encodeURIComponent(pretend)}`,
    PROGRAM,
    "--version",
  ]).ended;
  expect(ended.code).toBe(code);
  expect(ended.stderr.includes(`this is ${version}.`)).toBe(code !== 0);
});

test("writes nothing of its own to stderr where both variables of colour are set", async () => {
  // A request loads what makes Node look at them.
  const words = ["projects", "list", "--base-url", "http://127.0.0.1:1/v1", "--json"];
  const env = { NO_COLOR: "1", FORCE_COLOR: "1", AMP_API_KEY: "key" };
  const { code, stderr } = await startAmp(words, { env }).ended;
  expect(code).toBe(7);
  expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 7 } });
});

/** Says on stderr which files of the bundle are loaded. */
const TELL_FILES = `import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (url.endsWith(".cjs")) process.stderr.write("loaded " + url + "\\n");
    return next(url, context);
  },
});`;

test.skipIf(!isBundle).each([
  { words: ["installations", "list", "--help"], client: false },
  // Shows that the test could fail: a request needs the HTTP client.
  { words: ["providers", "list", "--base-url", "http://127.0.0.1:1/v1"], client: true },
])("loads the HTTP client only for a request: $words", async ({ words, client }) => {
  const { texts } = await loadedBy(words);
  expect(texts.some((text) => text.includes("class Ky"))).toBe(client);
});

/** Says on stderr which built-in modules are loaded in the end. */
const TELL_BUILTINS = `process.on("exit", () =>
  process.stderr.write("loaded " + process.moduleLoadList.join(",") + "\\n"))`;

test.skipIf(!isBundle)("loads no built-in module for a list that it does not need", async () => {
  const server = await serveLongList(1);
  onTestFinished(() => server.close());
  const words = ["installations", "list", INTEGRATION, "--base-url", server.baseUrl];
  const env = { AMP_API_KEY: "key", AMP_PROJECT: "acme" };
  const hook = `data:text/javascript,${encodeURIComponent(TELL_BUILTINS)}`;
  const line = [process.execPath, "--import", hook, PROGRAM, ...words] as const;
  const { code, stderr } = await start(line, { env }).ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/NativeModule net\b/u);
  expect(stderr).not.toMatch(/NativeModule (?:child_process|tty|tls|http2|worker_threads)\b/u);
  // Node's own copy of what the bundle has: either fetches, and both together take twice as long.
  expect(stderr).not.toContain("internal/deps/undici");
});

test.skipIf(!isBundle).each([20, 2_000])(
  "loads zod only to name what is odd in %d",
  async (count) => {
    for (const odd of [0, 2]) {
      const server = await serveLongList(count, (record, nth) =>
        nth >= count - odd ? { ...record, id: `ins_${nth}`, updateTime: nth } : record,
      );
      onTestFinished(() => server.close());
      const where = ["--base-url", server.baseUrl, "--project", "acme"];
      const words = ["installations", "list", INTEGRATION, "-o", "count", ...where];
      const { stdout, said, texts } = await loadedBy(words, { AMP_API_KEY: "key" });
      expect({ odd, stdout }).toEqual({ odd, stdout: `${count}\n` });
      expect(texts.some((text) => text.includes("ZodMiniObject"))).toBe(odd > 0);
      expect(said).toBe(
        odd === 0
          ? ""
          : `2 fields are not as specified: ins_${count - 2} updateTime: expected string, received number; ins_${count - 1} updateTime: expected string, received number\n`,
      );
    }
  },
);

/** Runs the bundle; tells the texts of the files that it loaded, and what it said besides. */
async function loadedBy(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const hook = `data:text/javascript,${encodeURIComponent(TELL_FILES)}`;
  const line = [process.execPath, "--import", hook, PROGRAM, ...words] as const;
  const { stdout, stderr } = await start(line, { env }).ended;
  const files = [...stderr.matchAll(/^loaded (file:\S+)$/gmu)].map(([, url = ""]) => url);
  expect(files.length).toBeGreaterThan(3);
  const texts = files.map((url) => readFileSync(fileURLToPath(url), "utf8"));
  return { stdout, said: stderr.replaceAll(/^loaded .*\n/gmu, ""), texts };
}

test.skipIf(!isBundle)("a module that is loaded late makes Node warn of nothing", async () => {
  // The name is looked up in its folder, by a module that nothing else of this command needs.
  const { code, stderr } = await startAmp(["notify", "check", "-f", "none.yaml"]).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/^✗ Cannot read none\.yaml: file not found\n/u);
});
