import type { Cell } from "../cli/view.ts";
import { forPipe } from "./cell.ts";
import type { TableColumn } from "./table.ts";
import { display } from "./text.ts";

/** Beginnings that a spreadsheet takes for a formula, or skips and then takes for one. */
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/u;

/** A record of CSV (RFC 4180) without its line end. */
export function csvRecord(cells: readonly Cell[]): string {
  return cells.map(csvField).join(",");
}

/** What the columns are called. */
export function csvHeader(columns: readonly TableColumn[]): string {
  return csvRecord(columns.map(({ label }) => label));
}

/** A record an item. */
export function* csvRows(
  columns: readonly TableColumn[],
  items: readonly unknown[],
): Generator<string> {
  for (const item of items) yield csvRecord(columns.map(({ read }) => read(item)));
}

function csvField(cell: Cell): string {
  const text = forPipe(cell);
  // A number is none of ours to quote: -5 stays a number.
  const safe = typeof cell !== "number" && FORMULA.test(text) ? `'${text}` : text;
  const shown = display(safe);
  return /[",\n]/u.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
