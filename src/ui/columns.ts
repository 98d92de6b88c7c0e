import type { ShownCell } from "./cell.ts";
import type { PaintTone, RenderOptions } from "./paint.ts";
import { sanitizeLine } from "./text.ts";
import { displayWidth, pad, truncate, truncateMiddle, wrap } from "./width.ts";

/** A column of a grid. */
export interface GridColumn {
  /** The text above the column. */
  readonly heading: string;
  /** The label in a card. */
  readonly label: string;
  /** The rank in which a narrow terminal drops the column, from 0; absent: never. */
  readonly spare?: number;
}

/** The layout of a grid. */
export interface GridLayout {
  readonly head: readonly string[];
  /** The lines of rows with these columns. */
  readonly lines: (rows: Iterable<readonly ShownCell[]>) => Iterable<string>;
}

interface Column extends GridColumn {
  /** The position in a row. */
  readonly at: number;
  readonly headingWidth: number;
  /** The width of the widest content, heading included. */
  natural: number;
  isId: boolean;
  /** Whether the column shows a state, by its tone. */
  isState: boolean;
  /** Whether the column has only numbers. */
  isNumeric: boolean | undefined;
}

const GAP = "  ";
/** The minimum width of text: "unhealthy" is still readable, and a UUID keeps its first group. */
const MIN_TEXT_WIDTH = 8;
const MIN_ID_WIDTH = 9;
/** The minimum width of a state, which is read before names: "unhealthy" and "in progress" fit. */
const MIN_STATE_WIDTH = 11;
/** The width that distinguishes most names; no column is dropped for a wider one. */
const READABLE_WIDTH = 24;

/**
 * Decides the layout of a grid from a sample of its rows: aligned columns below their headings, or
 * a card for each row if the columns do not fit. Wider cells of further rows are cut, or overflow
 * if the width has no limit.
 */
export function fitGrid(
  given: readonly GridColumn[],
  sample: Iterable<readonly ShownCell[]>,
  options: RenderOptions,
): GridLayout {
  const { width, paint } = options;
  const columns = keptColumns(measure(given, sample), width);
  const space = spaceOf(columns, width);
  const widths = fitColumns(columns, space);
  if (!widths) return { head: [], lines: cardLines(columns, options) };
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
        const cut = kind === "address" ? truncateMiddle : truncate;
        const shown = isCut ? cut(text, widths[nth] ?? 0) : text;
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
    head: isHeaded ? [line(headings)] : [],
    *lines(rows) {
      for (const row of rows) yield line(row);
    },
  };
}

function measure(
  given: readonly GridColumn[],
  sample: Iterable<readonly ShownCell[]>,
): readonly Column[] {
  const columns = given.map((column, at): Column => {
    const headingWidth = displayWidth(sanitizeLine(column.heading));
    const unknown = { isId: false, isState: false, isNumeric: undefined };
    return { ...column, at, headingWidth, natural: headingWidth, ...unknown };
  });
  for (const row of sample) {
    for (const column of columns) {
      const cell = row[column.at];
      if (!cell || cell.text === "") continue;
      column.natural = Math.max(column.natural, displayWidth(cell.text));
      column.isId ||= cell.kind === "id";
      column.isState ||= cell.tone !== undefined && cell.tone !== "dim";
      column.isNumeric = column.isNumeric !== false && cell.kind === "number";
    }
  }
  return columns;
}

/**
 * The columns to keep: without the spare ones that make room for others, or all if that is not
 * enough.
 */
function keptColumns(columns: readonly Column[], width: number): readonly Column[] {
  let kept = columns;
  const bySpare = columns
    .filter(({ spare }) => spare !== undefined)
    .toSorted((one, other) => (one.spare ?? 0) - (other.spare ?? 0));
  for (const spare of bySpare) {
    const readable = kept.map(({ natural, isId }) =>
      isId ? natural : Math.min(natural, READABLE_WIDTH),
    );
    if (sum(readable) > spaceOf(kept, width)) kept = kept.filter((column) => column !== spare);
  }
  return fitColumns(kept, spaceOf(kept, width)) ? kept : columns;
}

/**
 * The width of each column; undefined if even the least widths do not fit. Other columns are cut
 * before identifiers. An identifier that cannot stay whole serves only to recognise, so it is cut to
 * its minimum at once and the others get the space. Headings are cut last.
 */
function fitColumns(columns: readonly Column[], space: number): number[] | undefined {
  const ranges = columns.map(({ natural, headingWidth, isId, isState }) => {
    const shortest = isState ? MIN_STATE_WIDTH : MIN_TEXT_WIDTH;
    const least = Math.min(natural, isId ? MIN_ID_WIDTH : shortest);
    return { isId, natural, least, minimum: Math.max(least, headingWidth) };
  });
  const widthsFor = (rangeOf: (column: (typeof ranges)[number]) => Range) =>
    levelWidths(ranges.map(rangeOf), space);
  return (
    widthsFor(({ isId, natural, minimum }) => [isId ? natural : minimum, natural]) ??
    widthsFor(({ isId, natural, minimum }) => [minimum, isId ? minimum : natural]) ??
    widthsFor(({ isId, natural, least }) => [least, isId ? least : natural])
  );
}

type Range = readonly [least: number, widest: number];

/** Cuts the widest columns to one common width; narrower ones stay. */
function levelWidths(ranges: readonly Range[], space: number): number[] | undefined {
  const at = (level: number) =>
    ranges.map(([least, most]) => Math.min(most, Math.max(least, level)));
  const widest = at(Number.POSITIVE_INFINITY);
  if (sum(widest) <= space) return widest;
  if (sum(at(0)) > space) return undefined;
  let level = 0;
  while (sum(at(level + 1)) <= space) level += 1;
  const widths = at(level);
  let left = space - sum(widths);
  // The columns that are read first get the cells that are left over.
  return widths.map((width, index) => {
    if (left === 0 || width >= (widest[index] ?? 0)) return width;
    left -= 1;
    return width + 1;
  });
}

/** A block of `label  value` lines for each row, with whole identifiers and wrapped texts. */
function cardLines(
  columns: readonly Column[],
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

function spaceOf(columns: readonly Column[], width: number): number {
  return width - GAP.length * (columns.length - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
