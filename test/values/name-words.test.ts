import { describe, expect, it } from "vitest";
import { fitsName, isSameName, nearestNames } from "../../src/values/matching.ts";

const CUSTOMERS = [
  "Northwind Traders",
  "Bluth Company",
  "Acme Holding of Greater Manchester",
  "Sun",
];
const nearest = (text: string) => nearestNames(CUSTOMERS, text, { names: (name) => [name] });

describe("the names nearest to a text", () => {
  it.each([
    ["northwnd traders", ["Northwind Traders"]],
    ["Bluht", ["Bluth Company"]],
    ["Bluth Inc", []],
    ["Sum", ["Sun"]],
    ["off", []],
    ["Bluth Company fails", ["Bluth Company"]],
  ])("of %j are %j", (text, names) => {
    expect(nearest(text)).toEqual(names);
  });

  it("are none of a log or a page, however long it is", () => {
    const words = Array.from({ length: 40_000 }, (_word, at) => `w${at.toString(36)}`);
    expect(nearest([...words, "Norhtwind Tradrs"].join(" "))).toEqual([]);
  });
});

it.each([
  ["Müller, Café", "caf mul", true],
  ["Acme International Corp", "corp acme", true],
  ["Northwind Traders", "wind", false],
  ["株式会社アクメ", "アクメ", true],
  ["株式会社アクメ 東京", "会社 東京", true],
  ["株式会社アクメ", "大阪", false],
  ["Northwind Traders", "northwind x", false],
  ["Northwind Traders", "", false],
])("each word begins a word of the name: %j, %j: %s", (name, text, fits) => {
  expect(fitsName(name, text)).toBe(fits);
});

it.each([
  ["Müller, Café", "cafe muller", true],
  ["Northwind Traders", "northwindtraders", true],
  ["Northwind Traders", "Northwind", false],
  ["", "", false],
])("%j and %j are one name: %s", (one, other, isSame) => {
  expect(isSameName(one, other)).toBe(isSame);
});
