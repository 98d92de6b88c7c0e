import { describe, expect, it } from "vitest";
import { nearest } from "../../src/values/nearest.ts";

const NAMES = ["apps", "api", "installations", "invites", "list", "get"];

describe("the nearest name", () => {
  it.each([
    ["aps", "apps"],
    ["app", "apps"],
    ["lsit", "list"],
    ["LIST", "list"],
    ["instalation", "installations"],
    ["inst", "installations"],
    ["invite", "invites"],
    ["gte", "get"],
  ])("of %j is %j", (typed, meant) => expect(nearest(typed, NAMES)).toBe(meant));

  it.each(["", "in", "x", "frobnicate", "tsil", "__proto__"])("of %j is none", (typed) => {
    expect(nearest(typed, NAMES)).toBeUndefined();
  });

  it("is the first of those that are as near", () => {
    expect(nearest("lot", ["let", "lit"])).toBe("let");
  });
});
