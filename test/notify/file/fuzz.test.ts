import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISTAKE_WORDS } from "../../../src/api/catalogue/mistakes.ts";
import { UsageError } from "../../../src/errors.ts";
import { errorsIn, reading } from "./reading.ts";

const WORDS = [
  ..."[]{},:-?&*!|>'\"%@`#~<\n\t \\.=\0\r\uFEFF",
  ...["version: 1\n", "destinations:\n", "topics:\n", "  ops:\n", "    type: webhook\n", "id: x"],
  ...[
    "    metadata: {",
    "    secrets: { a: ",
    "env:A",
    "file:b",
    "hunter2",
    "    events: [",
    "]\n",
  ],
  ...["<<: *a", "&a ", "*a", "__proto__", "constructor", "- ", "---\n", "...\n", "%YAML 1.1\n"],
  ...["!!binary ", "!x ", "0x1F", "1e999", ".nan", "null", "\\ud800", "    destinations: [ops]\n"],
];

const FILE = `version: 1
project: acme
destinations:
  ops: { type: rabbitmq, metadata: { tls: true }, secrets: { password: env:A, b: file:b } }
  archive: { id: 1f0c }
topics:
  lifecycle: { events: [installation.created], destinations: [ops, archive] }
`;

/** A text of YAML's own words, any text, or a good file with something cut out or put in. */
const texts = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.json(),
  fc
    .tuple(fc.nat(FILE.length), fc.nat(2), fc.constantFrom("", ...WORDS))
    .map(([at, length, put]) => FILE.slice(0, at) + put + FILE.slice(at + length)),
);

/** What stands around a password that somebody has written into the file. */
const around = fc
  .array(fc.constantFrom(..."[]{},-?&*!|>'\"%@`#~\\ =\t", "env:", "file:", "x"), { maxLength: 4 })
  .map((words) => words.join(""));

describe("any text", () => {
  it("is read as a routing, or refused with line and column", async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        try {
          const { model } = await reading(text, {
            env: { A: "v" },
            files: { b: "v" },
            allow: MISTAKE_WORDS,
          });
          for (const { destinations } of model.topics.values()) {
            for (const name of destinations) expect(model.destinations.has(name)).toBe(true);
          }
          read += 1;
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          expect(error.message).toMatch(
            /^routing\.yaml(?::\d+:\d+: | has \d+ errors?(?: and \d+ warnings?)?$| is )/u,
          );
        }
      }),
      { numRuns: 800 },
    );
    // Otherwise the texts are such that nothing was tried.
    expect(read).toBeGreaterThan(5);
  });
});

describe("a password in the file", () => {
  it("never shows in a message, however it is written", async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(around, around, async (before, after) => {
        const found = await errorsIn(`version: 1
destinations:
  ops:
    type: x
    secrets:
      password: ${before}hunter2${after}
      other: ${after}hunter2
`);
        told += found === "" ? 0 : 1;
        // The name of a variable, or of a file that is not there, is not a secret.
        expect(found.replace(/variable \w+ is not set|[^\n]* cannot be read/gu, "")).not.toContain(
          "hunter2",
        );
      }),
      { numRuns: 400 },
    );
    expect(told).toBeGreaterThan(200);
  });
});
