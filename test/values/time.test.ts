import fc from "fast-check";
import { expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { durationText, readDuration } from "../../src/values/time.ts";

it.each([
  ["30s", 30_000],
  ["2m", 120_000],
  ["1500ms", 1500],
  ["1h", 3_600_000],
  [" 5s ", 5000],
  ["2147483647ms", 2_147_483_647],
])("reads %s", (text, time) => expect(readDuration(text)).toBe(time));

it.each([
  "",
  "30",
  "s",
  "-1s",
  "1.5s",
  "0s",
  "0ms",
  "1 s",
  "1S",
  "1d",
  "30s30",
  "2147483648ms",
  "600h",
  "1e3s",
  "９s",
  `${"9".repeat(400)}s`,
])("refuses %j", (text) => expect(() => readDuration(text)).toThrow(UsageError));

it("gives a time that a timer takes, or refuses", () => {
  const text = fc
    .tuple(fc.nat(), fc.constantFrom("ms", "s", "m", "h"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (typed) => {
      try {
        const time = readDuration(typed);
        expect(Number.isInteger(time) && time > 0 && time <= 2_147_483_647).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
  );
});

it.each([
  [0, "0.1 s"],
  [249, "0.2 s"],
  [9_949, "9.9 s"],
  [9_951, "10 s"],
  [60_000, "60 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [3_599_000, "1 h"],
  [3_600_000, "1 h"],
  [7_800_000, "2 h 10 min"],
  [90_000_000, "25 h"],
])("%i ms reads as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
