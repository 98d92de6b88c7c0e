import { expect, it } from "vitest";
import { liveRow } from "../../src/cli/raw-output.ts";
import { unpainted } from "../../src/ui/paint.ts";

const NOW = new Date("2026-09-02T08:30:00Z");
const row = (cells: Parameters<typeof liveRow>[0], width = 40, isTty = true) =>
  liveRow(cells, { isTty, width, paint: unpainted, now: NOW, widths: [4, 10] });

it("has columns on a terminal, without spaces at the end", () => {
  expect(row(["a", "b", "c"])).toBe("a     b           c\n");
  expect(row(["株式", "b", ""])).toBe("株式  b\n");
});

it("a live row wraps cells that do not fit", () => {
  expect(row(["a", "event", "an ID of many cells that is long"])).toBe(
    "a     event\n           an ID of many cells that is long\n".replace(
      "an ID of many cells that is long",
      "an ID of many cells that is\n           long",
    ),
  );
  expect(row(["", "a sentence that is much longer than the row"])).toBe(
    "           a sentence that is much\n           longer than the row\n",
  );
});

it("keeps the indentation of a line", () => {
  expect(row(["", '  "a": 1'])).toBe('        "a": 1\n');
});

it("a live row escapes control characters", () => {
  expect(row(["\u001b[31m", "b\nc"])).toBe("\\u{1b}[31m  b\\nc\n");
});

it("is tab-separated in a pipe, with empty cells", () => {
  expect(row(["a", "", "c\td"], 10, false)).toBe("a\t\tc\\td\n");
});
