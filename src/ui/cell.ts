import type { Cell, Tone } from "../cli/view.ts";
import { relative } from "./relative-time.ts";
import { display, jsonText } from "./text.ts";

/** A cell as a terminal shows it: harmless, on one line, not yet fitted or coloured. */
export interface Shown {
  readonly text: string;
  readonly tone?: Tone;
  readonly id?: true;
  readonly number?: true;
}

const NOTHING: Shown = { text: "" };

/** The cell on a terminal: words for booleans, relative times. */
export function onScreen(cell: Cell, now: Date): Shown {
  if (cell === undefined || cell === null || cell === "") return NOTHING;
  if (typeof cell === "string") return { text: display(cell, { inCell: true }) };
  if (typeof cell === "number") return { text: String(cell), number: true };
  if (typeof cell === "boolean") return { text: cell ? "yes" : "no" };
  const text = cell.kind === "time" ? relative(cell.text, now) : cell.text;
  return {
    text: display(text, { inCell: true }),
    ...(cell.tone && { tone: cell.tone }),
    ...(cell.kind === "id" && { id: true }),
  };
}

/** The cell for a program that reads: whole, RFC 3339, and not yet made harmless. */
export function forPipe(cell: Cell): string {
  if (cell === undefined || cell === null) return "";
  return typeof cell === "object" ? (cell.raw ?? cell.text) : String(cell);
}

/** The same in the shape of a screen, for a table that is piped. */
export function piped(cell: Cell): Shown {
  const text = display(forPipe(cell), { inCell: true });
  return typeof cell === "number" ? { text, number: true } : { text };
}

/**
 * The cell of a value as the service sent it. An object becomes JSON and never a rich cell, whatever
 * its fields are called: the tones are ours.
 */
export function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isListOfTexts ? value.join(", ") : jsonText(value);
}
