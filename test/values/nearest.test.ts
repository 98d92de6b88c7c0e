import { describe, expect, it } from "vitest";
import { matchesPattern, nearest, unlikeness } from "../../src/values/nearest.ts";

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

describe("a pattern", () => {
  it.each([
    ["connection.*", "connection.error"],
    ["*.error", "connection.error"],
    ["*", ""],
    ["a*a", "aa"],
    ["a**b", "a-b"],
    ["a.c", "a.c"],
    ["*b*", "abc"],
    ["*ab*ab", "abxab"],
  ])("%j fits %j", (pattern, text) => expect(matchesPattern(pattern, text)).toBe(true));

  it.each([
    ["a*a", "a"],
    ["a.c", "abc"],
    ["connection.*", "aconnection.error"],
    ["*b", "abc"],
    ["*ab*ab", "xab"],
    ["", "a"],
  ])("%j does not fit %j", (pattern, text) => expect(matchesPattern(pattern, text)).toBe(false));

  it("of many asterisks takes no time", () => {
    expect(matchesPattern("*a".repeat(5000), "a".repeat(4999))).toBe(false);
  });
});

it("finds a value unlike a word that has more words than a function may have arguments", () => {
  expect(unlikeness("acme", "x y ".repeat(80_000))).toBe(Number.POSITIVE_INFINITY);
});
