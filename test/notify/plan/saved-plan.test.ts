import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/notify/plan/plan.ts";
import { checkPlanned, type ReadPlan } from "../../../src/notify/plan/saved-plan.ts";
import { suggest } from "../../../src/values/suggested-command.ts";

type Items = ReadPlan["items"];

const again = suggest("notify plan", [], { f: "routing.yaml" });
const check = (saved: Items, now: Items) => () =>
  checkPlanned(
    { items: saved, made: "2026-09-02T08:30:00.000Z", again } as unknown as ReadPlan,
    { items: now } as unknown as Plan,
  );
const topic = (action: string, more = {}) => ({ address: "topic/life", action, ...more });

describe("a saved plan whose outcome was unknown", () => {
  it.each([
    ["was done", [topic("in_place", { id: "t_1" })]],
    ["was not done", [topic("create")]],
    ["was a delete that was done", []],
    ["was done, and another field differs", [topic("update", { id: "t_1", fields: ["name"] })]],
  ])("is applied where it %s", (_, now) => {
    expect(check([topic("unknown", { id: "t_1" })], now)).not.toThrow();
  });

  it("is refused where somebody else's resource would be taken, or another address changes", () => {
    for (const action of ["adopt", "conflict", "release"]) {
      expect(check([topic("unknown")], [topic(action)]), action).toThrow(/changed since/u);
    }
    expect(check([topic("create")], [topic("in_place", { id: "t_1" })])).toThrow(/changed since/u);
    expect(check([topic("unknown")], [{ ...topic("create"), address: "topic/x" }])).toThrow(/x/u);
  });
});
