import { describe, expect, it } from "vitest";
import { circles, namesTwice, type SourceFile, sourceFiles } from "./graph.ts";
import { LONG_FILES, MAX_LINES } from "./law.ts";

const files = sourceFiles();

function source(path: string, text: string, ...targets: string[]): SourceFile {
  return { path, text, imports: targets.map((target) => ({ kind: "type", target })) };
}

/** A line of entries that a literal holds for no other reason than to be one line. */
const PACKED = /^ +\.\.\.(?:\{ .*\}|\["[^\]]*\]),$/mu;

describe("the structure of src", () => {
  it("has no circle of imports, not even of types", () => {
    expect(circles(files)).toEqual([]);
  });

  it("gives each exported name one meaning", () => {
    expect(namesTwice(files)).toEqual([]);
  });

  it("spreads no literal only to write its entries in one line", () => {
    expect(files.filter(({ text }) => PACKED.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("keeps no reason for a file that is not long any more", () => {
    const long = files.filter(({ text }) => text.trimEnd().split("\n").length > MAX_LINES);
    const paths = long.map(({ path }) => path);
    expect(Object.keys(LONG_FILES).filter((path) => !paths.includes(path))).toEqual([]);
  });
});

describe("a breach of the structure is seen", () => {
  it.each(["    ...{ host, port },\n", '  ...["read", "write"],\n'])("in %j", (line) => {
    expect(PACKED.test(`const one = [\n${line}];`)).toBe(true);
  });

  it.each([
    "    ...(id === undefined ? {} : { id }),\n",
    "  ...[...left, ...right].map(nameOf),\n",
    "  ...{\n",
  ])("and none in %j", (line) => {
    expect(PACKED.test(`const one = [\n${line}];`)).toBe(false);
  });

  it("in a circle of three files", () => {
    const three = [source("a.ts", "", "b.ts"), source("b.ts", "", "c.ts", "d.ts")];
    expect(circles([...three, source("c.ts", "", "a.ts"), source("d.ts", "")])).toEqual([
      ["a.ts", "b.ts", "c.ts"],
    ]);
  });

  it("in a name that two files export", () => {
    const twice = [source("a.ts", "export type Row = 1;"), source("b.ts", "export class Row {}")];
    expect(namesTwice(twice)).toEqual(["Row: a.ts, b.ts"]);
    const values = ["export async function read() {}", "export const read = 1;"];
    expect(namesTwice(values.map((text, at) => source(`${at}.ts`, text)))).toEqual([
      "read: 0.ts, 1.ts",
    ]);
  });
});
