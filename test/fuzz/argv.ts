import fc from "fast-check";
import type { ParamNode } from "../../src/cli/define.ts";
import { globalOptions } from "../../src/cli/tree.ts";
import type { LeafCase } from "../commands/leaves.ts";
import { anyText } from "../ui/hostile.ts";

/** Words that look like something else, or like nothing. */
const ODD = [
  ...[
    "",
    " ",
    "-",
    "--",
    "---",
    "=",
    "--=",
    "-=",
    "--=x",
    "-1",
    "--1",
    "-0",
    "--no-",
    "--no-no-input",
  ],
  ...["--json=", "--json=no", "--output", "-o", "-ojson", "-o=json", "-qd", "-qdx", "--Json"],
  ...[
    "help",
    "--help",
    "-h",
    "--version",
    "-v",
    "-V",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
  ],
  ...[
    "0",
    "-5",
    "1e999",
    "9007199254740993",
    "0x10",
    "1.5",
    "Infinity",
    "null",
    "true",
    "[]",
    "{}",
  ],
  ...[
    "a=b",
    "=b",
    "a=",
    "a.b=c",
    "a..b=c",
    "__proto__.x=y",
    "env:",
    "env:NO_SUCH",
    "file:",
    "file:none",
  ],
  ...[
    "..",
    ".",
    "a/b",
    "a%2Fb",
    "topic/",
    "topic/a/b/c",
    "%",
    "%zz",
    "?a=b",
    "#",
    "@",
    "*",
    "~",
    "$HOME",
  ],
  ...["x".repeat(20_000), "é".repeat(5_000), "-".repeat(3_000), `--${"x".repeat(5_000)}`],
  ...[
    "30s",
    "0s",
    "99999h",
    "1ms",
    "10MB",
    "0B",
    "json",
    "yaml",
    "csv",
    "id",
    "ndjson",
    "a,b.c",
    ",",
    "a,,b",
  ],
];

/** A word that nobody would type on purpose. Never a path or an address that leads anywhere. */
export const oddWord = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: anyText.filter((text) => !text.includes("\0") && !/[/\\]/u.test(text)) },
);

type Change = (words: readonly string[]) => string[];

const GLOBALS = globalOptions();

/**
 * A command line near one that is fine: words dropped, doubled, swapped and replaced, options of the
 * command and of every command with odd values or none, unknown ones, `--` anywhere.
 */
export function nearly(leaf: LeafCase, good: readonly string[]): fc.Arbitrary<string[]> {
  const at = fc.nat({ max: good.length });
  const option = fc.constantFrom(...leaf.options, ...GLOBALS);
  const change = fc.oneof<fc.Arbitrary<Change>[]>(
    at.map((place) => (words) => words.toSpliced(place, 1)),
    at.map((place) => (words) => words.toSpliced(place, 0, ...words.slice(place, place + 1))),
    fc.tuple(at, oddWord).map(
      ([place, word]) =>
        (words) =>
          words.with(Math.min(place, words.length - 1), word),
    ),
    fc.tuple(at, oddWord).map(
      ([place, word]) =>
        (words) =>
          words.toSpliced(place, 0, word),
    ),
    at.map((place) => (words) => words.toSpliced(place, 0, "--")),
    fc.tuple(option, oddWord).map(([node, word]) => (words) => [...words, ...written(node, word)]),
    fc.tuple(option, oddWord).map(([node, word]) => (words) => [...words, `${node.name}=${word}`]),
    option.map((node) => (words) => [...words, node.name]),
    fc.shuffledSubarray([...good]).map((some) => (words) => [...some, ...words]),
  );
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) => [
      ...leaf.words,
      ...changes.reduce<readonly string[]>(
        (words, next) => (words.length > 0 ? next(words) : words),
        good.length > 0 ? good : ["--quiet"],
      ),
    ]);
}

function written({ name, takesValue }: ParamNode, word: string): string[] {
  return takesValue ? [name, word] : [name];
}

/** One option that cannot be taken, and what the message has to name. */
export function wrongOption({
  options,
}: LeafCase): fc.Arbitrary<{ typed: string[]; name: string }> {
  const closed = [...options, ...GLOBALS].filter(({ choices }) => choices !== undefined);
  const timed = [...options, ...GLOBALS].filter(({ placeholder }) => placeholder === "time");
  const valued = [...options, ...GLOBALS].filter(({ takesValue }) => takesValue);
  const notOneOf = oddWord.filter(
    (word) =>
      word !== "" && !/^(?:json|yaml|csv|id|ndjson)$/u.test(word) && !/^\d+\w+$/u.test(word),
  );
  return fc.oneof(
    fc
      .stringMatching(/^[a-z]{3,12}$/u)
      .map((word) => `--${word}-x`)
      .map((name) => ({ typed: [name], name })),
    fc.constantFrom(...valued).map(({ name }) => ({ typed: [name], name })),
    fc
      .tuple(fc.constantFrom(...closed, ...timed), notOneOf)
      .map(([{ name }, word]) => ({ typed: [`${name}=${word}`], name })),
    fc
      .tuple(fc.constantFrom(...valued), fc.constantFrom("", " ", "\t"))
      .map(([{ name }, word]) => ({ typed: [name, word], name })),
  );
}
