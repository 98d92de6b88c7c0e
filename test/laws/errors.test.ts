import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorRows } from "../error-tables.ts";
import { IN_PROGRAMS } from "../thrown-errors.ts";
import { sourceFiles } from "./graph.ts";

const rows = errorRows();
const files = sourceFiles();

/** The rows without a remedy or a suggested command: there is none beyond the text. */
const WITHOUT_REMEDY = JSON.parse(
  readFileSync(new URL("errors-without-remedy.json", import.meta.url), "utf8"),
) as readonly string[];

/** Who makes an error that is in no table, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  "cli/finish-run.ts": "what a command printed is the reason of its exit code",
};

/** What a row may have; the compiler sees a wrong value, but no name that is too much. */
const FACTS = [
  "text cause reason detail remedy choices suggestion done status requestId retryable",
  "issues causes candidates data result retryAfter",
]
  .join(" ")
  .split(" ");

describe("the tables of errors", () => {
  it("give each error a name of its own", () => {
    const names = rows.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.filter((name) => !/^[a-z]+(?:_[a-z0-9]+)*$/u.test(name))).toEqual([]);
  });

  it("give each error a text, and only facts that an error has", () => {
    expect(rows.filter(({ text }) => text === "").map(({ name }) => name)).toEqual([]);
    const odd = rows.flatMap(({ facts }) => facts.filter((fact) => !FACTS.includes(fact)));
    expect(odd).toEqual([]);
  });

  it("give each error a remedy or a command, but those for which there is none", () => {
    const without = rows.flatMap(({ name, remedy }) => (remedy === "" ? [name] : []));
    expect(without.toSorted()).toEqual(WITHOUT_REMEDY);
  });

  it("have the rows and tests that no other test may provoke", () => {
    const names = Object.keys(IN_PROGRAMS);
    expect(names.filter((name) => !rows.some((row) => row.name === name))).toEqual([]);
    expect(Object.values(IN_PROGRAMS).filter((path) => !existsSync(path))).toEqual([]);
  });

  it("are the only places that make errors", () => {
    const pattern = madeErrors();
    const found = files.flatMap(({ path, text }) =>
      !/(?:^|\/)errors\.ts$/u.test(path) && text.search(pattern) >= 0 ? [path] : [],
    );
    expect(found.filter((path) => OUTSIDE[path] === undefined)).toEqual([]);
    expect(Object.keys(OUTSIDE).filter((path) => !found.includes(path))).toEqual([]);
  });

  it("have each name by which an error is known", () => {
    const known = new Set(rows.map(({ name }) => name));
    const asked = files.flatMap(({ text }) =>
      [...text.matchAll(/\bisKind\([\w.]+,([^)]*)\)/gu)].flatMap(([, names = ""]) =>
        [...names.matchAll(/"(\w+)"/gu)].map(([, name = ""]) => name),
      ),
    );
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });
});

/** The expression that makes an error of any class of amp. */
function madeErrors(): RegExp {
  const classes = /class (\w+Error) extends \w+Error\b/gu;
  const names = files.flatMap(({ text }) => [...text.matchAll(classes)].map(([, name]) => name));
  return new RegExp(`\\bnew (?:${names.join("|")})\\(`, "u");
}
