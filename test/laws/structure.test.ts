import { describe, expect, it } from "vitest";
import { circles, fragments, namesTwice, type SourceFile, sourceFiles } from "./graph.ts";
import { SMALL_FILES } from "./law.ts";

const files = await sourceFiles();

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

  it("has no small file that a single other file uses", () => {
    expect(fragments(files, new Set(Object.keys(SMALL_FILES)))).toEqual([]);
  });

  it("spreads no literal only to write its entries in one line", () => {
    expect(files.filter(({ text }) => PACKED.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("keeps no reason for a small file that is gone", () => {
    const paths = files.map(({ path }) => path);
    expect(Object.keys(SMALL_FILES).filter((path) => !paths.includes(path))).toEqual([]);
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

  it("in a small file with one user, and in none with two, or with a reason", () => {
    const small = source("small.ts", "export const a = 1;");
    const one = source("one.ts", "1\n".repeat(50), "small.ts");
    const users = [one, source("two.ts", "1\n".repeat(50), "small.ts", "one.ts")];
    expect(fragments([small, one], new Set(["one.ts"]))).toEqual(["small.ts (1 lines)"]);
    expect(fragments([small, ...users], new Set(["two.ts"]))).toEqual([]);
    expect(fragments([small, one], new Set(["one.ts", "small.ts"]))).toEqual([]);
  });
});
