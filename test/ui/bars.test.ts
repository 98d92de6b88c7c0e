import { describe, expect, it } from "vitest";
import { barLines } from "../../src/ui/page.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { displayWidth } from "../../src/ui/text.ts";
import { type Bar, toned } from "../../src/view/view.ts";
import { NOW } from "./list-fixture.ts";

const draw = (bars: readonly Bar[], width: number, shown = 12) => [
  ...barLines(bars, shown, { width, paint: unpainted, now: NOW }),
];

describe("bars", () => {
  it("are as long as their share of the highest, and never invisible", () => {
    const bars = [
      { label: "healthy", count: 4000 },
      { label: "unhealthy", count: 1000 },
      { label: "new", count: 1 },
      { label: "none", count: 0 },
    ];
    expect(draw(bars, 40)).toEqual([
      "healthy    4,000  ██████████████████████",
      "unhealthy  1,000  █████▌",
      "new            1  ▏",
      "none           0",
    ]);
  });

  it("fit every width, with wide names and large counts", () => {
    const bars = [
      { label: "株式会社サンプル商事の長い長い名前とそのほか", count: 1_234_567 },
      { label: "👩‍👩‍👧‍👦 family".repeat(20), count: 3 },
      { label: toned("bad", "x"), count: 12 },
    ];
    for (const width of [20, 40, 60, 80, 140]) {
      for (const line of draw(bars, width)) {
        expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it("beyond those shown are one line with their sum", () => {
    const bars = Array.from({ length: 20 }, (_, at) => ({ label: `p${at}`, count: 20 - at }));
    const lines = draw(bars, 60, 12);
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe("8 more  36");
    expect(draw(bars.slice(0, 13), 60, 12)).toHaveLength(13);
  });
});
