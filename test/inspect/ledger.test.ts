import {
  appendFileSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { observe } from "../../src/inspect/ledger.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const KEY = { project: "acme", filters: ["health=unhealthy", "group~é"] };
const at = (minute: number) => new Date(Date.UTC(2026, 8, 2, 8, minute));
const ledger = () => join(temporaryFolder(), "ledger.ndjson");

describe("a ledger", () => {
  it("says since when each was seen at every run, and forgets what ceased", async () => {
    const path = ledger();
    const see = async (minute: number, ...ids: string[]) => [
      ...(await observe(path, KEY, ids, at(minute))),
    ];
    expect(await see(0, "a", "b")).toEqual([
      ["a", at(0).toISOString()],
      ["b", at(0).toISOString()],
    ]);
    expect(await see(1, "b", "c")).toEqual([
      ["b", at(0).toISOString()],
      ["c", at(1).toISOString()],
    ]);
    expect(await see(2, "a", "b")).toEqual([
      ["b", at(0).toISOString()],
      ["a", at(2).toISOString()],
    ]);
  });

  it("writes a line per change, and none where nothing changed", async () => {
    const path = ledger();
    await observe(path, KEY, ["a"], at(0));
    const before = readFileSync(path, "utf8");
    const [about, change] = before
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(about).toMatchObject({ about: { project: "acme", filters: KEY.filters.toSorted() } });
    expect(change).toMatchObject({ time: at(0).toISOString(), id: "a", holds: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await observe(path, KEY, ["a"], at(1));
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("separates the checks in a shared file, in any order of filters", async () => {
    const path = ledger();
    await observe(path, KEY, ["a"], at(0));
    const other = { ...KEY, project: "globex" };
    expect([...(await observe(path, other, [], at(1)))]).toEqual([]);
    const same = { ...KEY, filters: KEY.filters.toReversed() };
    expect([...(await observe(path, same, ["a"], at(2)))]).toEqual([["a", at(0).toISOString()]]);
  });

  it("continues after a run that was killed within its last line", async () => {
    const path = ledger();
    await observe(path, KEY, ["a"], at(0));
    const whole = statSync(path).size;
    await observe(path, KEY, ["a", "b"], at(1));
    const last = statSync(path).size;
    for (let size = whole; size < last; size += size < last - 12 ? 9 : 1) {
      const copy = ledger();
      writeFileSync(copy, readFileSync(path));
      truncateSync(copy, size);
      const seen = await observe(copy, KEY, ["a", "b"], at(5));
      // What was lost is seen again; where only its line end was, it counts.
      const isWhole = size === last - 1;
      expect([...seen]).toEqual([
        ["a", at(0).toISOString()],
        ["b", at(isWhole ? 1 : 5).toISOString()],
      ]);
      expect(await observe(copy, KEY, ["a", "b"], at(6))).toEqual(seen);
    }
  });

  it("refuses a file that is no ledger, and leaves it alone", async () => {
    const path = ledger();
    writeFileSync(path, "my notes\nmore\n");
    await expect(observe(path, KEY, ["a"], at(0))).rejects.toThrow(UsageError);
    expect(readFileSync(path, "utf8")).toBe("my notes\nmore\n");
    await expect(observe(temporaryFolder(), KEY, [], at(0))).rejects.toThrow(
      "is not a regular file",
    );
  });

  it("does not follow a link, which a checkout could aim at any file of yours", async () => {
    const [path, target] = [ledger(), ledger()];
    symlinkSync(target, path);
    const message = `Cannot write ${path}: it is a symbolic link to ${target}`;
    await expect(observe(path, KEY, ["a"], at(0))).rejects.toThrow(message);
    expect(existsSync(target)).toBe(false);
  });

  it("keeps the lines of several runs at the same time", async () => {
    const path = ledger();
    await observe(path, KEY, [], at(0));
    appendFileSync(path, "");
    await Promise.all(
      [1, 2, 3].map((run) => observe(path, { ...KEY, project: `p${run}` }, ["a"], at(run))),
    );
    for (const run of [1, 2, 3]) {
      const seen = await observe(path, { ...KEY, project: `p${run}` }, ["a"], at(9));
      expect(seen.get("a")).toBe(at(run).toISOString());
    }
  });

  it("gives the same result as a run over all observations", async () => {
    const ids = fc.subarray(["a", "b", "c"]);
    await fc.assert(
      fc.asyncProperty(fc.array(ids, { maxLength: 6 }), async (runs) => {
        const path = ledger();
        const expected = new Map<string, string>();
        for (const [minute, seen] of runs.entries()) {
          const result = await observe(path, KEY, seen, at(minute));
          for (const id of [...expected.keys()]) if (!seen.includes(id)) expected.delete(id);
          for (const id of seen) expected.set(id, expected.get(id) ?? at(minute).toISOString());
          expect(new Map(result)).toEqual(expected);
        }
      }),
      { numRuns: 15 },
    );
  });
});
