import type { Tone } from "../view/view.ts";

/** The meanings that have a colour: the tones of a view, and the parts of a layout. */
export type PaintTone = Tone | "title" | "heading" | "label";

/** Adds colour to a text that is measured and sanitized; the identity without colour. */
export type Paint = (tone: PaintTone, text: string) => string;

/** Paints without colour. */
export const unpainted: Paint = (_tone, text) => text;

/** The width of the output and its colours. */
export interface RenderOptions {
  /** The width in cells; `Infinity` for no limit. */
  readonly width: number;
  readonly paint: Paint;
  /** Whether a screen reader reads it: in records and words, without columns and marks. */
  readonly isSpoken?: boolean;
}

/**
 * Whether an output is coloured: on request, or on a terminal unless the environment forbids it.
 * @param option `--no-color` as parsed: false if it was typed
 */
export function wantsColor(
  { NO_COLOR, FORCE_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
  isTty: boolean,
  option: boolean | undefined,
): boolean {
  if (option === false || (NO_COLOR !== undefined && NO_COLOR !== "")) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTty && TERM !== "dumb";
}
