import type { Paint, PaintTone } from "./paint.ts";

/** A part of a line with its colour. */
export interface Piece {
  readonly text: string;
  readonly tone?: PaintTone;
}

/** The line; blank pieces are not painted, and no blanks stand at the end. */
export function paintLine(pieces: readonly Piece[], paint: Paint): string {
  const last = pieces.findLastIndex(({ text }) => text.trim() !== "");
  return pieces
    .slice(0, last + 1)
    .map(({ text, tone }, at) => {
      const kept = at === last ? text.trimEnd() : text;
      return tone && kept.trim() !== "" ? paint(tone, kept) : kept;
    })
    .join("");
}
