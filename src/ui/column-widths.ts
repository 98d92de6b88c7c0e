import type { ShownCell } from "./cell.ts";
import { displayWidth, sanitizeLine, truncateMiddle } from "./text.ts";

/** A column of a grid. */
export interface GridColumn {
  /** The text above the column. */
  readonly heading: string;
  /** The label in a card. */
  readonly label: string;
  /** The rank in which a narrow terminal drops the column, from 0; absent: never. */
  readonly spare?: number;
  /**
   * True if the column may be dropped: when it is empty, or the same in all rows of a whole sample.
   */
  readonly optional?: boolean;
  /** Whether the user requested the column, which then stays in every layout. */
  readonly isAsked?: boolean;
}

/** The sample of rows that decides a layout. */
export interface GridSample {
  readonly rows: readonly (readonly ShownCell[])[];
  /** Whether no further rows follow. */
  readonly isWhole: boolean;
  /**
   * True if empty columns, and those with one value in all rows of a whole sample, may be dropped.
   */
  readonly drops?: boolean;
}

/** A column as its sample shows it. */
export interface MeasuredColumn extends GridColumn {
  /** The position in a row. */
  readonly at: number;
  readonly headingWidth: number;
  /** The width of the widest content, heading included. */
  natural: number;
  /** The text of every row; undefined where they differ, or there are none. */
  readonly constant: string | undefined;
  /** The texts that must differ when they are cut; undefined for others than IDs and addresses. */
  readonly texts: ReadonlySet<string> | undefined;
  isId: boolean;
  isState: boolean;
  isNumeric: boolean;
}

type Columns = readonly MeasuredColumn[];

export const GAP = "  ";
/** The minimum width of text: "unhealthy" is still readable, and a UUID keeps its first group. */
const MIN_TEXT_WIDTH = 8;
const MIN_ID_WIDTH = 9;
/**
 * The width up to which an ID is whole: only of a longer one, such as a UUID, a part says which it
 * is.
 */
const WHOLE_ID_WIDTH = 16;
/** The minimum width of a state, which is read before names: "unhealthy" and "in progress" fit. */
const MIN_STATE_WIDTH = 11;
/**
 * The width that distinguishes most names; no column is dropped for a wider one, except for an
 * address.
 */
const READABLE_WIDTH = 24;
/** The number of rows from which cards are too long to read, so that columns are hidden instead. */
export const MANY_ROWS = 8;
/** The width that a long table leaves to its first column, the name, before it hides others. */
const NAME_WIDTH = 16;

/** The columns as a sample of rows shows them. */
export function measure(
  given: readonly GridColumn[],
  { rows }: GridSample,
): readonly MeasuredColumn[] {
  return given.map((column, at): MeasuredColumn => {
    const headingWidth = displayWidth(sanitizeLine(column.heading));
    const cells = rows.map((row) => row[at] ?? { text: "" });
    const filled = cells.filter(({ text }) => text !== "");
    const kinds = new Set(filled.map(({ kind }) => kind));
    const mustDiffer = kinds.has("id") || kinds.has("address");
    const [first] = cells;
    return {
      ...column,
      at,
      headingWidth,
      natural: filled.reduce((most, { text }) => Math.max(most, displayWidth(text)), headingWidth),
      constant: cells.every(({ text }) => text === first?.text) ? first?.text : undefined,
      texts: mustDiffer ? new Set(filled.map(({ text }) => text)) : undefined,
      isId: kinds.has("id"),
      isState: kinds.has("state"),
      isNumeric: kinds.size === 1 && kinds.has("number"),
    };
  });
}

/**
 * The columns to keep: first go those that are empty; then, to make room, those that say the same
 * in all rows, and the spare ones. If that is not enough, a long table goes on with the least
 * telling, and all columns of a short one stay: cards have the room.
 */
export function keptColumns(columns: Columns, sample: GridSample, width: number): Columns {
  const { rows, isWhole, drops } = sample;
  const staysAlways = (column: MeasuredColumn) => column === columns[0] || column.isId;
  const isSame = ({ constant }: MeasuredColumn) => constant !== undefined;
  const cards = columns.filter((column) => {
    const isMute = isEmpty(column) && (isWhole || column.optional);
    const isDropped = isMute || (isWhole && column.optional && isSame(column));
    return !drops || staysAlways(column) || !isDropped;
  });
  let kept: readonly MeasuredColumn[] = cards;
  if (drops && isWhole && rows.length > 1) {
    const same = kept.filter((column) => isSame(column) && !staysAlways(column));
    kept = droppedUntil(kept, same, (left) => sum(left.map(naturalWidth)) <= spaceOf(left, width));
  }
  const isReadable = (left: Columns) => sum(left.map(readableWidth)) <= spaceOf(left, width);
  kept = droppedUntil(kept, spareFirst(columns), isReadable);
  if (drops && rows.length >= MANY_ROWS) {
    const droppable = kept.filter((column) => !staysAlways(column) && !column.isAsked);
    const least = Math.min(columns[0]?.natural ?? 0, NAME_WIDTH);
    kept = droppedUntil(kept, leastTellingFirst(droppable), (left) => {
      const [first = -1] = fitColumns(left, spaceOf(left, width), sample) ?? [];
      return first >= least;
    });
  }
  return fitColumns(kept, spaceOf(kept, width), sample) ? kept : cards;
}

const isEmpty = ({ constant }: MeasuredColumn) => constant === "";
const naturalWidth = ({ natural }: MeasuredColumn) => natural;
const readableWidth = ({ natural, texts }: MeasuredColumn) =>
  texts ? natural : Math.min(natural, READABLE_WIDTH);

function droppedUntil(columns: Columns, order: Columns, isEnough: (left: Columns) => boolean) {
  let left = columns;
  for (const column of order) {
    if (isEnough(left)) break;
    left = left.filter((one) => one !== column);
  }
  return left;
}

/**
 * The spare columns by rank, empty ones first: further rows may fill one, but what the first rows
 * tell goes later.
 */
function spareFirst(columns: Columns): Columns {
  return columns
    .filter(({ spare }) => spare !== undefined)
    .toSorted(
      (one, other) =>
        Number(isEmpty(other)) - Number(isEmpty(one)) || (one.spare ?? 0) - (other.spare ?? 0),
    );
}

/**
 * The order in which columns make room for the first one: from the right, and the optional ones, in
 * which rows differ, before the last that is left of the others.
 */
function leastTellingFirst(columns: Columns): Columns {
  const fromRight = columns.toReversed();
  const others = fromRight.filter(({ optional }) => !optional);
  const optional = fromRight.filter((column) => column.optional);
  return [...others.slice(0, -1), ...optional, ...others.slice(-1)];
}

/**
 * The width of each column; undefined if even the least widths do not fit. Other columns are cut
 * before identifiers. An identifier that cannot stay whole serves only to recognise, so it is cut
 * to its minimum at once and the others get the space. Headings are cut last. Identifiers and
 * addresses are never cut so far that two look alike.
 */
export function fitColumns(
  columns: readonly MeasuredColumn[],
  space: number,
  { isWhole }: GridSample,
): number[] | undefined {
  const shortest = columns.map(({ natural, texts, isId, isState }) => {
    // Further rows may have an identifier that looks like one of these.
    if (texts && !isWhole) return natural;
    if (isId && natural <= WHOLE_ID_WIDTH) return natural;
    return Math.min(natural, isId ? MIN_ID_WIDTH : isState ? MIN_STATE_WIDTH : MIN_TEXT_WIDTH);
  });
  for (;;) {
    const widths = widthsFrom(columns, shortest, space);
    const alike = columns.findIndex(
      ({ texts, natural }, at) => texts && looksAlike(texts, widths?.[at] ?? natural),
    );
    if (!widths || alike < 0) return widths;
    shortest[alike] = (widths[alike] ?? 0) + 1;
  }
}

function looksAlike(texts: ReadonlySet<string>, width: number): boolean {
  return new Set(Array.from(texts, (text) => truncateMiddle(text, width))).size < texts.size;
}

function widthsFrom(
  columns: readonly MeasuredColumn[],
  shortest: readonly number[],
  space: number,
): number[] | undefined {
  const ranges = columns.map(({ natural, headingWidth, isId }, at) => {
    const least = shortest[at] ?? natural;
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

/** The cells that the gaps between columns leave. */
export function spaceOf(columns: readonly MeasuredColumn[], width: number): number {
  return width - GAP.length * (columns.length - 1);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
