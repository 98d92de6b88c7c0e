import type { Cell } from "../view/view.ts";
import { pipeText } from "./cell.ts";
import type { TableColumn } from "./table.ts";
import { sanitize } from "./text.ts";

/** How much of a cell is changed so that who opens the file is not deceived. */
export interface CsvStyle {
  /** A quote mark stands before what a spreadsheet would take for a formula. */
  readonly guarded: boolean;
  /** What a terminal or a CI log would obey is escaped visibly. */
  readonly escaped: boolean;
}

/**
 * The style that fits: for spreadsheets, or, if it is to be raw, for programs, which get every cell
 * as it is. A terminal is never sent what it would obey.
 */
export function csvStyle({ csvRaw = false, tty }: { csvRaw?: boolean; tty: boolean }): CsvStyle {
  return { guarded: !csvRaw, escaped: !csvRaw || tty };
}

/** Beginnings that a spreadsheet takes for a formula, or skips and then takes for one. */
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/u;

/** A record of CSV (RFC 4180) without its line end. */
export function csvRecord(cells: readonly Cell[], style: CsvStyle): string {
  return cells.map((cell) => csvField(cell, style)).join(",");
}

/** What the columns are called. */
export function csvHeader(columns: readonly TableColumn[], style: CsvStyle): string {
  return csvRecord(
    columns.map(({ label }) => label),
    style,
  );
}

/** A record an item. */
export function* csvRows(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  style: CsvStyle,
): Generator<string> {
  for (const item of items) {
    yield csvRecord(
      columns.map(({ read }) => read(item)),
      style,
    );
  }
}

function csvField(cell: Cell, { guarded, escaped }: CsvStyle): string {
  const text = pipeText(cell);
  // A number is none of ours to quote: -5 stays a number.
  const safe = guarded && typeof cell !== "number" && FORMULA.test(text) ? `'${text}` : text;
  const shown = escaped ? sanitize(safe) : safe;
  return /[",\r\n]/u.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
