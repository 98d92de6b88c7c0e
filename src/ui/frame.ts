import Table from "cli-table3";
import type { ShownCell } from "./cell.ts";
import type { Paint } from "./paint.ts";
import { displayWidth } from "./width.ts";

/**
 * A small table in a frame. cli-table3 gets runs of `x` as wide as each cell and draws around them:
 * it measures with an older string-width, and colours on its own. The texts come in afterwards.
 * Not for lists: its time grows with the square of the rows.
 */
export function drawFrame(
  headings: readonly string[],
  rows: readonly (readonly ShownCell[])[],
  paint: Paint,
): string[] {
  const texts: string[] = [];
  const placeholder = (cell: ShownCell, tone = cell.tone) => {
    const width = displayWidth(cell.text);
    if (width > 0) texts.push(tone ? paint(tone, cell.text) : cell.text);
    return "x".repeat(width);
  };
  const hasHeadings = headings.some((heading) => heading !== "");
  const table = new Table({
    ...(hasHeadings && { head: headings.map((text) => placeholder({ text }, "strong")) }),
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) {
    table.push(headings.map((_heading, at) => placeholder(row[at] ?? { text: "" })));
  }
  let next = 0;
  const place = () => texts[next++] ?? "";
  return table
    .toString()
    .split("\n")
    .map((line) => line.replace(/x+/gu, place));
}
