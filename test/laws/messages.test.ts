import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/**
 * Files that read the words of a message, and why they may. Others decide by a class or a field: who
 * rewords a sentence must not change what amp does.
 */
const READERS: Readonly<Record<string, string>> = {
  "api/client/request-failure.ts": "looks for a constant of the module that writes the words",
  "api/network/network-failure.ts": "fetch says some failures in words alone",
  "cli/usage-errors.ts": "commander says what is wrong in words alone",
  "notify/engine/failure.ts": "lowers the first letter, whatever the words are",
  "sandbox/document.ts": "zod says which key it does not know in words alone",
  "sandbox/errors.ts": "the position in a message of JSON.parse, which quotes the file",
  "values/json.ts": "rewords what zod says in words alone",
};

const TEXT = "(?:message|reason|detail|remedy|error)";
const METHODS = "(?:includes|startsWith|endsWith|match|matchAll|search|split|replace|replaceAll)";
const READS = [
  new RegExp(`\\b${TEXT}\\??\\.${METHODS}\\(`, "gu"),
  new RegExp(`\\.(?:test|exec)\\((?:[^()]|\\([^()]*\\)){0,99}?\\b${TEXT}\\b`, "gu"),
  // A text with a space, or one that begins like a sentence; other words are codes.
  new RegExp(`(?<!typeof )\\b${TEXT} [!=]== ["'\`](?:[A-Z][a-z]|[^"'\`]* )`, "gu"),
];

function readsMessage(text: string): boolean {
  const line = text.replace(/\s*\n\s*(?=\??\.)/gu, "").replace(/\s+/gu, " ");
  return READS.some((pattern) => line.search(pattern) >= 0);
}

describe("the words of a message", () => {
  it("decide nothing", () => {
    const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".ts"));
    const readers = files.filter((path) => readsMessage(readFileSync(SRC + path, "utf8")));
    expect(readers.sort()).toEqual(Object.keys(READERS).sort());
  });

  it.each([
    ['error.message.includes("another program")'],
    ['error.message\n    .startsWith("x")'],
    ["/\\bcase\\b/u.test(error.message + detail)"],
    ["reason?.startsWith(MAYBE)"],
    ['message === "Interrupted"'],
  ])("are seen to be read in %j", (code) => {
    expect(readsMessage(code)).toBe(true);
  });

  it.each([
    ['item.reason === "not_listed"'],
    ['typeof message === "string"'],
    ['message !== ""'],
    ["new Error(message + reason)"],
    ['text.includes(" ")'],
  ])("are not seen to be read in %j", (code) => {
    expect(readsMessage(code)).toBe(false);
  });
});
