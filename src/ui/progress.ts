import type { ProgressEntry, ProgressState, Tone } from "../view/view.ts";
import type { Paint } from "./paint.ts";
import { sanitize } from "./text.ts";
import { pad } from "./width.ts";

const MARKS = {
  done: { mark: "✓", tone: "good" },
  unchanged: { mark: "=", tone: "dim" },
  failed: { mark: "✗", tone: "bad" },
  unknown: { mark: "?", tone: "attention" },
} as const satisfies Record<ProgressState, { mark: string; tone: Tone }>;

/** "destination" is the longest kind. */
const KIND_WIDTH = 11;
/** Steps come one by one, so nobody knows the longest name; most fit here. */
const NAME_WIDTH = 32;

/** The line of a step: `  ✓ topic        customer-lifecycle          t_09aa…`. */
export function progressLine({ state, kind, name, id, note }: ProgressEntry, paint: Paint): string {
  const { mark, tone } = MARKS[state];
  const shown = (text: string) => sanitize(text, { inCell: true });
  const end = [id && paint("dim", shown(id)), note && paint(tone, shown(note))].filter(Boolean);
  const about = `${pad(shown(kind), KIND_WIDTH)}  ${pad(shown(name), end.length > 0 ? NAME_WIDTH : 0)}`;
  return [`  ${paint(tone, mark)} ${about}`, ...end].join("  ");
}
