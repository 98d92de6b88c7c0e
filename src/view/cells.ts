/** The values of tables and pages as data, and how they are made. */

/** A meaning that a colour shows; every view is understood without colours. */
export type Tone = "good" | "attention" | "bad" | "dim" | "strong";

/** A value with a tone or kind. */
export interface RichCell {
  readonly text: string;
  readonly tone?: Tone;
  /**
   * `time`: `text` is RFC 3339, shown relative on a terminal and as it is in a pipe.
   * `id`: an identifier, shortened last and whole in a pipe.
   * `address`: of a resource. Both are shortened in the middle, and never so that two look alike.
   * `state`: read before names, and cut after them.
   */
  readonly kind?: "time" | "id" | "address" | "state";
  /** The text for a pipe, if it differs. */
  readonly raw?: string;
  /** Whether it is wrapped instead of cut, where it is in the last column of a table. */
  readonly wraps?: true;
}

/** One value of a table or record. `undefined`, `null` and `""` are empty. */
export type Cell = string | number | boolean | null | undefined | RichCell;

/** A time of the service: "2h ago" on a terminal, RFC 3339 in a pipe. */
export function time(value: string | null | undefined): Cell {
  return value === undefined || value === null ? undefined : { text: value, kind: "time" };
}

/** An identifier, which is shortened last. */
export function id(value: string | null | undefined): Cell {
  return value === undefined || value === null ? undefined : { text: value, kind: "id" };
}

/**
 * The address of a resource, an email address or the client ID of an app: cut in its middle, never
 * so that two look alike.
 */
export function addressCell(value: string): Cell {
  return { text: value, kind: "address" };
}

/** A sentence, which is wrapped instead of cut where it is in the last column of a table. */
export function sentence(value: string | null | undefined): Cell {
  return value === undefined || value === null ? undefined : { text: value, wraps: true };
}

export function toned(tone: Tone, value: string): Cell {
  return { text: value, tone };
}

/** The present parts of one line; undefined if there are none. */
export function joined(
  parts: readonly (string | false | null | undefined)[],
  by = " · ",
): string | undefined {
  return parts.filter(Boolean).join(by) || undefined;
}

/** The text `key = value` for each entry of a map. */
export function entryTexts(map: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return Object.entries(map ?? {}).map(([key, value]) => `${key} = ${valueText(value)}`);
}

/** Any JSON value on one line. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
