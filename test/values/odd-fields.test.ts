import { expect, it, vi } from "vitest";
import { oddFieldsOf, rememberOriginal } from "../../src/values/odd-fields.ts";

const ODD = { record: "ins_1", path: "group", problem: "expected object", value: 5 };

it("checks a record once for all cells of its row", () => {
  const odd = vi.fn(() => [ODD]);
  const copy = {};
  rememberOriginal(copy, { value: {}, odd });
  expect([oddFieldsOf(copy), oddFieldsOf(copy), oddFieldsOf(copy)]).toEqual([[ODD], [ODD], [ODD]]);
  expect(odd).toHaveBeenCalledTimes(1);
});

it("knows the fields of each record, and of one whose original changes", () => {
  const [first, second, whole] = [{}, {}, {}];
  rememberOriginal(first, { value: {}, odd: () => [ODD] });
  rememberOriginal(second, { value: {}, odd: () => [] });
  expect([oddFieldsOf(first), oddFieldsOf(second), oddFieldsOf(whole)]).toEqual([[ODD], [], []]);
  expect(oddFieldsOf(first)).toEqual([ODD]);
  rememberOriginal(first, { value: {}, odd: () => [ODD, ODD] });
  expect(oddFieldsOf(first)).toEqual([ODD, ODD]);
});
