import { describe, expect, it } from "vitest";
import { run } from "../harness.ts";
import { TERMINAL } from "./installations-at.ts";
import { INVOCATIONS } from "./invocations.ts";
import { leaves, runBad, runGood } from "./leaves.ts";

const cases = leaves.filter(({ path }) => INVOCATIONS[path]?.exits === undefined);
/** The lists that only read; a list of what was written cannot be filtered. */
const lists = cases.filter(({ globalOptions }) => globalOptions.includes("--limit"));

describe("every list", () => {
  it("is filtered by each of its columns and fields, sorted and limited", async () => {
    expect(lists.length).toBeGreaterThan(12);
    for (const { path, command } of lists) {
      const columns = command.view?.kind === "table" ? Object.keys(command.view.columns) : [];
      const names = [...columns, ...(command.fields ?? [])];
      expect(command.fields, path).toBeDefined();
      // What is missing is not equal to a text that nothing has: all of it holds for every item.
      const filters = names.flatMap((name) => ["--filter", `${name}!=no-such-text`]);
      const all = await runGood(path, ["-o", "count"]);
      const same = await runGood(path, [...filters, "--sort-by", names.join(","), "-o", "count"]);
      expect([same.code, same.stdout], `${path}: ${same.stderr}`).toEqual([0, all.stdout]);
      const none = await runGood(path, ["--filter", `${names[0]}=no-such-text`, "-o", "count"]);
      expect(none.stdout, path).toBe("0\n");
      const one = await runGood(path, ["--limit", "1", "-o", "ndjson"]);
      expect(one.stdout.trimEnd().split("\n").length, path).toBe(1);
    }
  });

  it("has an example of a filter in its help that it accepts", async () => {
    for (const { path } of lists) {
      const { stdout } = await run([...path.split(" "), "--help"]);
      const [, one = "", other] =
        /condition, for example (\S+)(?: or (\S+))?/u.exec(stdout.replace(/\s+/gu, " ")) ?? [];
      const filters = [one, ...(other === undefined ? [] : [other])];
      const argv = filters.flatMap((filter) => ["--filter", filter]);
      const { code, stderr } = await runGood(path, argv);
      expect([code, stderr.includes("cannot be compared")], `${path}: ${stderr}`).toEqual([
        0,
        false,
      ]);
    }
  });

  it("shows each of its fields as text on a terminal, also an object", async () => {
    for (const { path, command } of lists) {
      const fields = (command.fields ?? []).join(",");
      const asTable = ["--fields", fields, "-o", "table", "--limit", "3"];
      const { code, stdout, stderr } = await runGood(path, asTable, TERMINAL);
      expect([code, stdout.includes('{"')], `${path}: ${stdout}${stderr}`).toEqual([0, false]);
    }
  });

  it("refuses a name that it does not have, with those that it has", async () => {
    for (const { path } of lists) {
      const { code, stdout, stderr, requests } = await runBad(path, ["--filter", "nosuchname=x"]);
      expect({ code, stdout, requests }, path).toEqual({ code: 2, stdout: "", requests: [] });
      const [, known = ""] = /Choose one of: (.*?)\. /u.exec(stderr) ?? [];
      const names = known.toLowerCase().split(", ");
      expect(names, path).toEqual([...new Set(names)]);
    }
  });
});
