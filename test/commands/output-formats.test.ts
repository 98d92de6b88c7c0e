import { describe, expect, it } from "vitest";
import { INVOCATIONS } from "./invocations.ts";
import { leaves, runBad, runGood } from "./leaves.ts";

/** The commands whose own words decide their format. */
const OWN = new Set(["notify export", "sandbox start"]);

const cases = leaves.filter(({ path }) => !OWN.has(path) && INVOCATIONS[path]?.exits === undefined);
const isFor = (kind: string | undefined) =>
  cases.filter(({ command: { view } }) => view?.kind === kind);

describe("-o env", () => {
  it("has lines of names and values for all that show one result", async () => {
    for (const { path } of [...isFor("record"), ...isFor("text")]) {
      const { code, stdout } = await runGood(path, ["-o", "env"]);
      expect(code, path).toBe(0);
      expect(stdout.trimEnd().split("\n"), path).toSatisfy((all: string[]) =>
        all.every((line) => /^RESULT(?:_[A-Z0-9_]*)?=[^\p{Cc}]*$/u.test(line)),
      );
    }
  });

  it("is refused by lists and what writes its own output, with the formats that they have", async () => {
    for (const { path } of isFor("table")) {
      const { code, stdout, stderr, requests } = await runBad(path, ["-o", "env"]);
      expect({ code, stdout, requests }, path).toEqual({ code: 2, stdout: "", requests: [] });
      expect(stderr).toContain(`amp ${path} has no env output`);
      expect(stderr.replaceAll(/\s+/gu, " ")).toContain(
        "table, json, ndjson, yaml, csv, tsv, id, markdown.",
      );
    }
    for (const { path } of isFor(undefined)) {
      for (const format of ["env", "markdown"]) {
        const refused = await runBad(path, ["-o", format]);
        expect(refused, path).toMatchObject({ code: 2, stdout: "", requests: [] });
        expect(refused.stderr).toContain(`amp ${path} has no ${format} output`);
      }
    }
  });
});

it("-o markdown has a form for every list and page", async () => {
  for (const { path, command } of cases.filter(({ command: { view } }) => view !== undefined)) {
    const { code, stdout } = await runGood(path, ["-o", "markdown"]);
    expect(code, path).toBe(0);
    const begin = { table: /^(?:\||No )/u, record: /^### /u, text: /^```/u };
    expect(stdout, path).toMatch(begin[command.view?.kind ?? "text"]);
  }
});
