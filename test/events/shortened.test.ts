import { describe, expect, it } from "vitest";
import { responseStart } from "../../src/events/delivery.ts";
import { attemptColumns } from "../../src/events/page.ts";
import { quoted } from "../../src/notify/file/issues.ts";

describe("a long text", () => {
  it("is cut in no character", () => {
    expect(quoted(`${"a".repeat(59)}😀b`)).toBe(`"${"a".repeat(59)}…"`);
    expect(responseStart(`${"a".repeat(199)}😀b`, {})).toBe(`${"a".repeat(199)}…`);
    const response = `${"a".repeat(38)}😀bb`;
    const cells = Object.values(attemptColumns()).map((cell) => cell({ response } as never));
    expect(cells).toContainEqual(expect.objectContaining({ text: `${"a".repeat(38)}😀…` }));
  });
});
