import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/values/json.ts";

const list = (count: number, item: string) => `[${`${item},`.repeat(count - 1)}${item}]`;
const object = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"field${at}":",{["`).join(",")}}`;

describe("a large text", () => {
  it.each([
    ["many records", list(40_000, '{"id":"a","name":"b,{[","more":[1,2,3]}')],
    ["an object with many fields", object(49_000)],
    ["escaped quotes", list(40_000, String.raw`{"a":"\\\"[[[","b":"{{{\\"}`)],
    [
      "levels that a service may have",
      `${"[".repeat(1_000)}${" ".repeat(300_000)}${"]".repeat(1_000)}`,
    ],
  ])("is read: %s", (_, text) => {
    expect(text.length).toBeGreaterThan(2 ** 18);
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["many empty records", list(2_100_000, "{}")],
    ["an object with too many fields", object(51_000)],
    ["too many levels", "[".repeat(200_000) + " ".repeat(300_000) + "]".repeat(200_000)],
  ])("is refused before it fills the memory: %s", (_, text) => {
    expect(() => parseJson(text)).toThrow("too many values, fields or levels");
  });
});
