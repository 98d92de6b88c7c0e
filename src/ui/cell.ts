import { timeOf } from "../values/time.ts";
import type { Cell, Tone } from "../view/view.ts";
import { jsonText, sanitizeLine } from "./text.ts";

/** A cell for a terminal: sanitized, on one line, neither fitted nor coloured. */
export interface ShownCell {
  readonly text: string;
  readonly tone?: Tone;
  readonly kind?: "id" | "address" | "state" | "number";
  readonly wraps?: true;
}

/** A cell for a terminal, with words for booleans and relative times. */
export function terminalCell(cell: Cell, now: Date): ShownCell {
  if (cell === undefined || cell === null || cell === "") return { text: "" };
  if (typeof cell === "string") return { text: sanitizeLine(cell) };
  if (typeof cell === "number") return { text: String(cell), kind: "number" };
  if (typeof cell === "boolean") return { text: cell ? "yes" : "no" };
  const { kind, text, tone, wraps, orEarlier } = cell;
  const toned = tone && { tone };
  if (kind === "time") {
    const at = relativeTime(text, now);
    return { text: sanitizeLine(orEarlier ? `over ${at}` : at), ...toned };
  }
  return { text: sanitizeLine(text), ...toned, ...(kind && { kind }), ...(wraps && { wraps }) };
}

/** The text of a cell for a program: complete, times as RFC 3339, not sanitized. */
export function pipeText(cell: Cell): string {
  if (cell === undefined || cell === null) return "";
  if (typeof cell !== "object") return String(cell);
  return (cell.raw ?? cell.text) + (cell.orEarlier ? " or earlier" : "");
}

/** A cell for a table in a pipe. */
export function pipeCell(cell: Cell): ShownCell {
  const text = sanitizeLine(pipeText(cell));
  if (typeof cell === "number") return { text, kind: "number" };
  return typeof cell === "object" && cell?.tone ? { text, tone: cell.tone } : { text };
}

/**
 * The cell of a value of the service. An object becomes text on a terminal and JSON in a pipe, and
 * never a rich cell, even with the same field names: only amp decides on tones.
 */
export function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  if (typeof value === "bigint") return String(value);
  const text = textOf(value);
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isListOfTexts ? text : { text, raw: jsonText(value) };
}

/** The fields of a value as `group.name = Acme, group.ref = acme`. */
function textOf(value: unknown, path = ""): string {
  const isWithin = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  const label = path === "" ? "" : `${path} = `;
  if (!isWithin) return label + (typeof value === "object" ? jsonText(value) : String(value));
  if (!Array.isArray(value)) {
    const below = path === "" ? "" : `${path}.`;
    return Object.entries(value)
      .map(([key, inside]) => textOf(inside, below + key))
      .join(", ");
  }
  const isOfObjects = value.some((item) => typeof item === "object");
  const texts = value.map((item) => textOf(item));
  return label + (isOfObjects ? `(${texts.join("), (")})` : texts.join(", "));
}

/** Units in seconds, largest first; a month is the twelfth part of a year. */
const UNITS = [
  ["y", 31_557_600],
  ["mo", 2_629_800],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
] as const;

/** "2h ago" or "in 2h" for an RFC 3339 time; any other text is returned unchanged. */
export function relativeTime(iso: string, now: Date): string {
  const time = iso.includes(":") ? timeOf(iso) : undefined;
  if (time === undefined) return iso;
  const seconds = (now.getTime() - time) / 1000;
  const distance = Math.abs(seconds);
  const unit = UNITS.find(([, size]) => distance >= size);
  // A difference of less than a minute may come from two clocks.
  if (!unit) return "just now";
  const amount = `${Math.floor(distance / unit[1])}${unit[0]}`;
  return seconds > 0 ? `${amount} ago` : `in ${amount}`;
}
