import fc from "fast-check";
import { expect, it } from "vitest";
import { readDuration } from "../src/duration.ts";
import { UsageError } from "../src/errors.ts";

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
