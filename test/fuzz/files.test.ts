import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { faultsOf } from "./judge.ts";
import { createTally } from "./tally.ts";

vi.setConfig({ testTimeout: 300_000 });

const tally = createTally("odd files");

const bomb = ["a: &a [x, x, x, x, x, x, x, x]"]
  .concat(
    [..."bcdefghij"].map((name, at) => {
      const before = "abcdefghij"[at];
      return `${name}: &${name} [${Array.from({ length: 8 }, () => `*${before}`).join(", ")}]`;
    }),
  )
  .join("\n");

/** What may lie where a file is read: its bytes, or how it is made. */
const KINDS: Readonly<Record<string, string | Uint8Array | ((path: string) => void)>> = {
  empty: "",
  blank: " \n\t\n",
  "the byte order mark alone": "\uFEFF",
  NUL: "\0".repeat(100),
  "UTF-16 LE": Buffer.from("\uFEFFversion: 1\n", "utf16le"),
  "UTF-16 BE": Buffer.from("\uFEFFversion: 1\n", "utf16le").swap16(),
  "Latin-1": Buffer.from([0xe9, 0xff, 0xfe, 0x3a, 0x20, 0xfc]),
  "tabs for spaces": "\tversion:\t1\n\t\ttopics: {}\n",
  "CR LF": "version: 1\r\ntopics: {}\r\n",
  "CR alone": "version: 1\rtopics: {}\r",
  "a lone surrogate": '{"version":"\\ud800","\\udc00":1}',
  "a key twice": '{"version":1,"version":2}',
  __proto__: '{"__proto__":{"version":1},"constructor":{"prototype":1}}',
  "huge numbers": '{"version":1e400,"serial":99999999999999999999999,"format":-1e-400}',
  "a list": "[1,2,3]",
  null: "null",
  text: '"amp-routing-state"',
  "a page": "<!doctype html><html><body>Sign in</body></html>",
  "cut off": '{"format":"amp-routing-state","version":1,"resou',
  "nested, open": "[".repeat(100_000),
  "nested, closed": `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "nested objects": `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  "nested blocks": Array.from({ length: 2_000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
  "aliases of aliases": bomb,
  "many keys": Array.from({ length: 60_000 }, (_, at) => `k${at}: v`).join("\n"),
  "one long line": "x".repeat(2_000_000),
  "100 MB": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 100 * 2 ** 20);
  },
  "a folder": (path) => mkdirSync(path),
  "a link to nothing": (path) => symlinkSync("/nonexistent/file", path),
  "a link to itself": (path) => symlinkSync(path, path),
  "an endless device": (path) => symlinkSync("/dev/zero", path),
  "a pipe without writer": (path) => execFileSync("mkfifo", [path]),
};

/** Who reads a file: where it has to lie, and the words that make amp read it. */
const READERS: Readonly<
  Record<string, { readonly at: string; readonly argv: readonly string[]; readonly waits?: true }>
> = {
  profiles: { at: "config/config.json", argv: ["auth", "list"] },
  credentials: { at: "config/credentials.json", argv: ["auth", "status"] },
  "project file": { at: ".amp.yaml", argv: ["notify", "events"] },
  routing: { at: "r", argv: ["notify", "plan", "-f", "r"], waits: true },
  state: { at: "s", argv: ["notify", "state", "list", "--state", "s"] },
  "state, to be changed": {
    at: "s",
    argv: ["notify", "state", "import", "topic/x", "top_1", "--state", "s"],
  },
  "state to push": { at: "s", argv: ["notify", "state", "push", "s"], waits: true },
  "saved plan": {
    at: "p",
    argv: ["notify", "apply", "-f", "good.yaml", "--plan", "p", "--yes"],
    waits: true,
  },
  "API key": { at: "k", argv: ["apps", "list", "--api-key-file", "k"], waits: true },
  catalogue: {
    at: "c",
    argv: ["sandbox", "start", "--port", "0", "--providers", "c"],
    waits: true,
  },
  faults: { at: "f", argv: ["sandbox", "start", "--port", "0", "--faults", "f"], waits: true },
  "sandbox state": { at: "w", argv: ["sandbox", "start", "--port", "0", "--state", "w"] },
  "trusted files": { at: "config/trust.json", argv: ["trust", "--list"] },
  "saved list": {
    at: "l",
    argv: ["installations", "diff", "ins_80c1cca5", "--since", "l"],
    waits: true,
  },
  case: { at: "c.ampcase", argv: ["case", "show", "c.ampcase"], waits: true },
  "opened case": {
    at: "c.ampcase",
    argv: ["case", "open", "c.ampcase", "--", process.execPath, "--version"],
    waits: true,
  },
  "test cases": { at: "t", argv: ["notify", "test", "-f", "good.yaml", "t"], waits: true },
  "captured request": {
    at: "q",
    argv: ["webhooks", "verify", "q", "--secret", "@good.yaml"],
    waits: true,
  },
  "captured headers": {
    at: "q",
    argv: [
      ...["webhooks", "verify", "--headers", "q"],
      "--body",
      "good.yaml",
      "--secret",
      "@good.yaml",
    ],
    waits: true,
  },
  "signing secret": {
    at: "q",
    argv: ["webhooks", "verify", "good.yaml", "--secret", "@q"],
    waits: true,
  },
  "saved messages": {
    at: "m",
    argv: ["trigger", "--from", "m", "--to", "http://127.0.0.1:1/", "--secret", "@good.yaml"],
    waits: true,
  },
  payload: {
    at: "e",
    argv: ["trigger", "connection.error", "--from", "e", "--print"],
    waits: true,
  },
  "template message": {
    at: "e",
    argv: ["webhooks", "test", "http://127.0.0.1:1/", "--from", "e"],
    waits: true,
  },
  "request body": {
    at: "b",
    argv: ["api", "POST", "/projects/{project}/topics", "--input", "b"],
    waits: true,
  },
};

describe.skipIf(process.platform === "win32")("a file that is", () => {
  describe.each(Object.entries(KINDS))("%s", (kind, content) => {
    const readers = Object.entries(READERS).filter(
      ([, { waits }]) => !waits || kind !== "a pipe without writer",
    );

    it.each(readers)("is read or refused as %s", async (reader, { at, argv }) => {
      const cwd = temporaryFolder();
      const path = join(cwd, at);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(join(cwd, "good.yaml"), "version: 1\n");
      if (typeof content === "function") content(path);
      else writeFileSync(path, content, { mode: 0o600 });

      await tally.try(async () => {
        // A sandbox that starts ends at once.
        const signal = argv[0] === "sandbox" ? AbortSignal.timeout(300) : undefined;
        const outcome = await run(argv, {
          cwd,
          sandbox: sandboxAt(),
          ...(signal === undefined ? {} : { signal }),
        });
        expect({ reader, faults: faultsOf(outcome, false), ...outcome }).toMatchObject({
          faults: [],
        });
        if (outcome.code === 2) expect(outcome.stderr).not.toMatch(/\0|x{300}/u);
        return outcome;
      });
      rmSync(cwd, { recursive: true, force: true });
    });
  });
});
