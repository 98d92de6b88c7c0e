import { counted } from "../values/counted.ts";
import type { ShownCell } from "./cell.ts";
import {
  fitColumns,
  GAP,
  type GridColumn,
  type GridSample,
  keptColumns,
  MANY_ROWS,
  type MeasuredColumn,
  measure,
  spaceOf,
  sum,
} from "./column-widths.ts";
import type { PaintTone, RenderOptions } from "./paint.ts";
import { displayWidth, pad, sanitizeLine, truncate, truncateMiddle, wrap } from "./text.ts";

/** The layout of a grid. */
export interface GridLayout {
  readonly head: readonly string[];
  /** The lines of rows with these columns. */
  readonly lines: (rows: Iterable<readonly ShownCell[]>) => Iterable<string>;
}

/**
 * Decides the layout of a grid from a sample of its rows: aligned columns below their headings, or
 * a card for each row if the columns do not fit. Wider cells of further rows are cut, or overflow
 * if the width has no limit.
 */
export function fitGrid(
  given: readonly GridColumn[],
  sample: GridSample,
  options: RenderOptions,
): GridLayout {
  const { width, paint } = options;
  const all = measure(given, sample);
  const columns = keptColumns(all, sample, width);
  const space = spaceOf(columns, width);
  const widths = fitColumns(columns, space, sample);
  if (!widths || isOneThingCut(columns, widths, sample)) {
    return { head: [], lines: cardLines(columns, options) };
  }
  const isCut = Number.isFinite(width);
  const last = columns.at(-1);
  // The last column often has identifiers, and further ones may be longer: it gets the space left.
  if (isCut && last && !last.isNumeric && widths.at(-1) === last.natural) {
    widths[widths.length - 1] = last.natural + space - sum(widths);
  }
  const line = (row: readonly (Omit<ShownCell, "tone"> & { readonly tone?: PaintTone })[]) => {
    const end = columns.findLastIndex(({ at }) => row[at]?.text);
    return columns
      .slice(0, end + 1)
      .map((column, nth) => {
        const { text, tone, kind } = row[column.at] ?? { text: "" };
        const shown = isCut ? cutCell(text, kind, widths[nth] ?? 0) : text;
        const painted = tone && shown !== "" ? paint(tone, shown) : shown;
        const fill = pad("", (widths[nth] ?? 0) - displayWidth(shown));
        if (column.isNumeric) return fill + painted;
        return nth === end ? painted : painted + fill;
      })
      .join(GAP);
  };
  const isHeaded = given.some(({ heading }) => heading !== "");
  const headings = given.map(({ heading }) => ({
    text: sanitizeLine(heading),
    tone: "heading" as const,
  }));
  return {
    head: [
      ...droppedLines(all, columns, sample, options),
      ...(isHeaded ? hiddenLines(all, columns, sample, options) : []),
      ...(isHeaded ? [line(headings)] : []),
    ],
    *lines(rows) {
      for (const row of rows) {
        const cell = isCut && last ? row[last.at] : undefined;
        if (!cell?.wraps || !last) {
          yield line(row);
          continue;
        }
        const [first = "", ...rest] = wrap(cell.text, widths.at(-1) ?? 0);
        yield line(row.with(last.at, { ...cell, text: first }));
        const left = pad("", width - (widths.at(-1) ?? 0));
        for (const text of rest) yield left + (cell.tone ? paint(cell.tone, text) : text);
      }
    },
  };
}

/** Whether the requested fields of one thing do not fit a row: a card has room for all of them. */
function isOneThingCut(
  columns: readonly MeasuredColumn[],
  widths: readonly number[],
  { rows, isWhole, drops }: GridSample,
): boolean {
  const isOne = drops === true && isWhole && rows.length === 1;
  if (!isOne || !columns.every(({ isAsked }) => isAsked)) return false;
  return columns.some(({ natural }, at) => natural > (widths[at] ?? 0));
}

/** The line on the columns that were dropped because all rows say the same. */
function droppedLines(
  all: readonly MeasuredColumn[],
  kept: readonly MeasuredColumn[],
  { isWhole, drops }: GridSample,
  { width, paint }: RenderOptions,
): string[] {
  if (!isWhole || !drops) return [];
  const dropped = all.filter((column) => column.constant && !kept.includes(column));
  if (dropped.length === 0) return [];
  const values = dropped.map(({ label, constant }) => `${sanitizeLine(label)} ${constant}`);
  return wrap(`All rows: ${values.join(" · ")}`, width).map((text) => paint("dim", text));
}

/** The line on the columns that say something and had no room, in a table that may be long. */
function hiddenLines(
  all: readonly MeasuredColumn[],
  kept: readonly MeasuredColumn[],
  { rows, isWhole, drops }: GridSample,
  { width, paint }: RenderOptions,
): string[] {
  if (!drops || rows.length < MANY_ROWS) return [];
  // A constant column of the whole list is in the line on all rows.
  const { length: count } = all.filter((column) => {
    const isShownElsewhere = isWhole ? column.constant !== undefined : column.constant === "";
    return !isShownElsewhere && !kept.includes(column);
  });
  if (count === 0) return [];
  const text = `${counted(count, "column")} hidden: widen the terminal or use --fields/--json`;
  return wrap(text, width).map((line) => paint("dim", line));
}

function cutCell(text: string, kind: ShownCell["kind"], width: number): string {
  return kind === "id" || kind === "address" ? truncateMiddle(text, width) : truncate(text, width);
}

/** A block of `label  value` lines for each row, with whole identifiers and wrapped texts. */
function cardLines(
  columns: readonly MeasuredColumn[],
  { width, paint }: RenderOptions,
): GridLayout["lines"] {
  const names = columns.map(({ label }) => sanitizeLine(label));
  const labels = Math.min(Math.max(...names.map(displayWidth)), Math.floor(width / 2));
  let isFirst = true;
  return function* (rows) {
    for (const row of rows) {
      if (!isFirst) yield "";
      isFirst = false;
      for (const [nth, { at }] of columns.entries()) {
        const cell = row[at];
        if (!cell || cell.text === "") continue;
        yield* labelledLines(names[nth] ?? "", [cell], { labels, width, paint });
      }
    }
  };
}

/** A label and its values below each other: whole identifiers, for copying, and wrapped texts. */
export function* labelledLines(
  label: string,
  cells: readonly ShownCell[],
  { labels, width, paint }: RenderOptions & { readonly labels: number },
): Generator<string> {
  let left = paint("label", pad(truncate(label, labels), labels));
  for (const { text, kind, tone } of cells) {
    for (const line of kind === "id" ? [text] : wrap(text, width - labels - GAP.length)) {
      yield left + GAP + (tone && line !== "" ? paint(tone, line) : line);
      left = pad("", labels);
    }
  }
}
