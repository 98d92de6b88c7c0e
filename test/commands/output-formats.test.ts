import { describe, expect, it } from "vitest";
import { run } from "../harness.ts";
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

  it("has the number of items and a JSON array for each field of all lists", async () => {
    for (const { path } of isFor("table")) {
      const limit = /(?:delete|revoke)$/u.test(path) ? [] : ["--limit", "2"];
      const { code, stdout } = await runGood(path, ["-o", "env", ...limit]);
      expect(code, path).toBe(0);
      const [count = "", ...lines] = stdout.trimEnd().split("\n");
      expect(count, path).toMatch(/^RESULT_COUNT=\d+$/u);
      for (const line of lines) {
        const [, array = ""] = /^RESULT_[A-Z0-9_]+=(\[[^\p{Cc}]*\])$/u.exec(line) ?? [];
        expect(JSON.parse(array), path).toHaveLength(Number(count.slice(13)));
      }
    }
  });

  it("has the chosen fields of a list alone, columns too", async () => {
    const { stdout } = await runGood("installations list", [
      ...["-o", "env", "--fields", "id,health", "--limit", "2"],
    ]);
    expect(stdout).toMatch(
      /^RESULT_COUNT=2\nRESULT_ID=\["[^"]+","[^"]+"\]\nRESULT_HEALTH=\["\w+","\w+"\]\n$/u,
    );
  });

  it("of a list is no longer than a variable may be, or is refused with what is shorter", async () => {
    const body = Array.from({ length: 2_000 }, (_, at) => ({ id: `${at}`, name: "n".repeat(40) }));
    const words = ["notify", "topics", "list", "-o", "env"];
    const { code, stdout, stderr } = await run(words, { replies: [{ body }] });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("-o env: the values of name are larger than 64 KB");
    expect(stderr).toContain("--fields");
    const ids = await run([...words, "--fields", "id"], { replies: [{ body }] });
    expect(ids.stdout).toMatch(/^RESULT_COUNT=2000\nRESULT_ID=\["0","1",/u);
  });

  it("is refused by commands that write their own format", async () => {
    for (const { path } of isFor(undefined)) {
      for (const format of ["env", "markdown"]) {
        const refused = await runBad(path, ["-o", format]);
        expect(refused, path).toMatchObject({ code: 2, stdout: "", requests: [] });
        expect(refused.stderr).toContain(`amp ${path} does not support --output ${format}`);
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
