import type { Tone } from "../view/view.ts";

/** What colour can say: the tones of a view, and the parts of the layout itself. */
export type PaintTone = Tone | "title" | "heading" | "label";

/** Adds colour to a text that is already measured and harmless; the identity where colour is off. */
export type Paint = (tone: PaintTone, text: string) => string;

/** No colour. */
export const unpainted: Paint = (_tone, text) => text;

/** How wide the lines may get, and how they are coloured. */
export interface RenderOptions {
  /** In cells; `Infinity` for no limit. */
  readonly width: number;
  readonly paint: Paint;
}
