import { describe, expect, it } from "vitest";
import { resultFacts } from "../../src/case/operation-facts.ts";
import { resultTexts } from "../../src/case/prose.ts";
import { NOW } from "../harness.ts";

/** Operations that succeeded, the newest first, an hour apart; "!" marks one that failed. */
const stream = (...results: string[]) => ({
  ended: results.map((result, at) => ({
    id: `op_${results.length - at}`,
    status: result.startsWith("!") ? "failure" : "success",
    result,
    createTime: `2026-09-01T${String(23 - at).padStart(2, "0")}:00:00Z`,
  })),
});
const texts = (...streams: ReturnType<typeof stream>[]) => resultTexts(resultFacts(streams), NOW);

describe("the results that a case quotes", () => {
  it("is the newest alone where it counts records, whatever the object is called", () => {
    expect(texts(stream("[v2] 66 records read", "[v2] none"))).toEqual([
      'op_2 "[v2] 66 records read" (Tue 1 Sep 23:00 UTC)',
    ]);
    expect(texts(stream("[v2] none", "[v2] 66 records read"))).toEqual([
      'op_2 "[v2] none" (Tue 1 Sep 23:00 UTC); before, op_1 "[v2] 66 records read" (Tue 1 Sep 22:00 UTC)',
    ]);
  });

  it("says since when each operation said the same, also if all did", () => {
    expect(texts(stream("none", "none", "!refused", "none", "5 read"))).toEqual([
      'op_5 "none" (Tue 1 Sep 23:00 UTC, the same since Tue 1 Sep 20:00 UTC); before, op_1 "5 read" (Tue 1 Sep 19:00 UTC)',
    ]);
    expect(texts(stream("none", "none"))).toEqual([
      'op_2 "none" (Tue 1 Sep 23:00 UTC, the same since Tue 1 Sep 22:00 UTC)',
    ]);
  });

  it("quotes nothing that was not said, and says how many objects are left out", () => {
    expect(texts(stream(""), stream("!refused"), stream())).toEqual([]);
    const many = Array.from({ length: 5 }, () => stream("1 read"));
    expect(texts(...many)).toHaveLength(4);
    expect(texts(...many).at(-1)).toBe("and the results of 2 more objects");
  });
});
