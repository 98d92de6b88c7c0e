import { expect, it, vi } from "vitest";
import { numberText } from "../../src/values/counted.ts";

it("groups digits as en-GB does, without the locales of the runtime", () => {
  const numbers = [
    0, 7, 999, 1_000, 9_999, 12_345, 123_456, 1_234_567, 10_000_000_000, -1_500, -999,
  ];
  const wanted = numbers.map((one) => one.toLocaleString("en-GB"));
  const slow = vi.spyOn(Number.prototype, "toLocaleString");
  expect(numbers.map(numberText)).toEqual(wanted);
  expect(slow).not.toHaveBeenCalled();
  slow.mockRestore();
});

it("groups the digits of a number that is not an integer before the point alone", () => {
  expect([1.2345, 1_234.5, 1e21].map(numberText)).toEqual(
    [1.2345, 1_234.5, 1e21].map((one) => one.toLocaleString("en-GB")),
  );
});
