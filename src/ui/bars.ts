import { numberText } from "../values/counted.ts";
import type { Bar } from "../view/view.ts";
import { terminalCell } from "./cell.ts";
import type { RenderOptions } from "./paint.ts";
import { displayWidth, pad, truncate } from "./text.ts";

/** The parts of a cell that end a bar, by eighths. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const FULL = "█";
const GAP = "  ";
/** The widest bar: a longer one is no easier to compare. */
const MAX_BAR = 60;
/**
 * The widest label where there is room for it, and the share of a narrow terminal that labels have.
 */
const MAX_LABEL = 40;
const LABEL_SHARE = 0.45;

/**
 * Draws a bar for each count, as long as its share of the highest one. A bar that is not zero is
 * visible, and without a limit of the width only the numbers are written.
 * @param shown the number of bars to draw; the others are one line with their sum
 */
export function* barLines(
  all: readonly Bar[],
  shown: number,
  { width, paint, now }: RenderOptions & { readonly now: Date },
): Generator<string> {
  // A line that says "1 more" would take as much room as the one bar.
  const bars = all.length > shown + 1 ? all.slice(0, shown) : all;
  const rest = all.slice(bars.length);
  const labels = bars.map(({ label }) => terminalCell(label, now));
  const more = `${rest.length} more`;
  const widest = Math.max(
    ...labels.map(({ text }) => displayWidth(text)),
    rest.length > 0 ? more.length : 0,
  );
  const limit = Number.isFinite(width) ? Math.floor(width * LABEL_SHARE) : widest;
  const labelWidth = Math.min(widest, limit, MAX_LABEL);
  const restCount = rest.reduce((sum, { count }) => sum + count, 0);
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const countWidth = numberText(Math.max(highest, restCount)).length;
  const room = Math.min(MAX_BAR, width - labelWidth - countWidth - 2 * GAP.length);
  const line = (label: string, count: number, bar: string) =>
    `${label}${GAP}${numberText(count).padStart(countWidth)}${bar === "" ? "" : GAP + bar}`;
  for (const [at, { count }] of bars.entries()) {
    const { text, tone } = labels[at] ?? { text: "" };
    const name = truncate(text, labelWidth);
    const label = (tone ? paint(tone, name) : name) + pad("", labelWidth - displayWidth(name));
    const bar = Number.isFinite(width) ? barText(count / highest, room) : "";
    yield line(label, count, tone && tone !== "dim" && bar !== "" ? paint(tone, bar) : bar);
  }
  if (rest.length > 0) yield paint("dim", line(pad(more, labelWidth), restCount, ""));
}

function barText(share: number, room: number): string {
  if (share === 0 || room < 1) return "";
  const eighths = Math.max(1, Math.round(share * room * EIGHTHS.length));
  return FULL.repeat(Math.floor(eighths / EIGHTHS.length)) + EIGHTHS[eighths % EIGHTHS.length];
}
