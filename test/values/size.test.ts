import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { readSize, sizeText } from "../../src/values/counted.ts";

describe("a size", () => {
  it.each([
    ["1B", 1],
    ["10MB", 10 * 2 ** 20],
    ["10 mb", 10 * 2 ** 20],
    [" 512KB ", 512 * 2 ** 10],
    ["1.5KB", 1536],
    ["0.25GB", 2 ** 28],
    ["500MB", 500 * 2 ** 20],
  ])("%j is %i bytes", (text, bytes) => {
    expect(readSize(text)).toBe(bytes);
  });

  it.each([
    "",
    "10",
    "MB",
    "0MB",
    "0.0001B",
    "-1MB",
    "1e3MB",
    "1TB",
    "10MiB",
    ".5MB",
    "1,5MB",
    "10MBs",
  ])("%j is none", (text) => {
    expect(() => readSize(text)).toThrow(UsageError);
  });

  it.each(["501MB", "1GB", "99999999999999999999GB"])(
    "%s is more than one string holds",
    (text) => {
      expect(() => readSize(text)).toThrow("the maximum is 500MB");
    },
  );

  it("is read back from its words, to a tenth of its unit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 * 2 ** 20 }), (bytes) => {
        const back = readSize(sizeText(bytes));
        expect(Math.abs(back - bytes)).toBeLessThanOrEqual(bytes * 0.051);
      }),
    );
    expect([999, 1024, 1536, 4 * 2 ** 20, 2 ** 28].map(sizeText)).toEqual([
      "999 B",
      "1 KB",
      "1.5 KB",
      "4 MB",
      "256 MB",
    ]);
  });
});
