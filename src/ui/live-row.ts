import type { Cell } from "../view/view.ts";
import { pipeCell, terminalCell } from "./cell.ts";
import type { RenderOptions } from "./paint.ts";
import { displayWidth, pad, wrap } from "./text.ts";

/** How a row is written that appears as something happens. */
export interface LiveRowOptions extends RenderOptions {
  readonly isTty: boolean;
  readonly now: Date;
  /** The least widths of the first cells, so that rows that follow each other have columns. */
  readonly widths: readonly number[];
}

/** The margin of what does not fit in the first line of a row. */
const MARGIN = 11;

/**
 * One row of something that happens, with its line end: the rows that follow are not known, so
 * nothing is cut. A terminal gets the cells that do not fit on lines below; a pipe gets TSV.
 */
export function liveRow(cells: readonly Cell[], options: LiveRowOptions): string {
  const { isTty, now, widths, width, paint } = options;
  if (!isTty) return `${cells.map((cell) => pipeCell(cell).text).join("\t")}\n`;
  let lines = "";
  let used = 0;
  for (const [at, cell] of cells.entries()) {
    const { text, tone } = terminalCell(cell, now);
    const least = widths[at] ?? 0;
    if (text === "" && least === 0) continue;
    const painted = (part: string) => (tone === undefined ? part : paint(tone, part));
    const needed = displayWidth(text);
    const gap = used === 0 ? 0 : 2;
    if (used > 0 && used + gap + needed > width) {
      const parts = wrap(text, Math.max(20, width - MARGIN));
      const below = parts.map((part) => pad("", MARGIN) + painted(part)).join("\n");
      // The cell after an empty one begins in its line.
      lines = lines.trim() === "" ? below : `${lines.trimEnd()}\n${below}`;
      used = MARGIN + displayWidth(parts.at(-1) ?? "");
      continue;
    }
    const isLast = cells.slice(at + 1).every((next) => terminalCell(next, now).text === "");
    const fill = isLast ? "" : pad("", Math.max(0, least - needed));
    lines += pad("", gap) + painted(text) + fill;
    used += gap + needed + fill.length;
  }
  return `${lines}\n`;
}
