import { describe, expect, it } from "vitest";
import { isSameName, nearestNames } from "../../src/inspect/matches.ts";

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
    ["Bluth Inc", ["Bluth Company"]],
    [
      "Hello, nothing has arrived from our company since Monday. Regards, A. B., Norhtwind Tradrs",
      ["Northwind Traders"],
    ],
    ["Hello, nothing has arrived from our company of Greater London since Monday. Regards, A.", []],
  ])("of %j are %j", (text, names) => {
    expect(nearest(text)).toEqual(names);
  });

  it("are none of a log or a page, however long it is", () => {
    const words = Array.from({ length: 40_000 }, (_word, at) => `w${at.toString(36)}`);
    expect(nearest([...words, "Norhtwind Tradrs"].join(" "))).toEqual([]);
  });
});

it.each([
  ["Müller, Café", "cafe muller", true],
  ["Northwind Traders", "northwindtraders", true],
  ["Northwind Traders", "Northwind", false],
  ["", "", false],
])("%j and %j are one name: %s", (one, other, isSame) => {
  expect(isSameName(one, other)).toBe(isSame);
});
