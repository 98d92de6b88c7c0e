import type { ShownCell } from "./cell.ts";
import type { RenderOptions } from "./paint.ts";
import { displayWidth, pad, truncate, truncateMiddle, wrap } from "./width.ts";

/** Rows that are read twice, to be measured and then written: their texts are never all held. */
export interface Grid {
  /** The line above the columns; left out if all are empty. */
  readonly headings: readonly string[];
  /** The labels of cards, which replace columns that do not fit. */
  readonly labels: readonly string[];
  readonly count: number;
  readonly row: (index: number) => readonly ShownCell[];
  /** Columns that are dropped, in this order, while others would have to be cut. */
  readonly spare?: readonly number[];
}

interface Column {
  /** Width of the widest content, heading included. */
  readonly natural: number;
  /** Least width with a whole heading. */
  readonly minimum: number;
  /** Least width with a cut heading. */
  readonly least: number;
  readonly isId: boolean;
  readonly isNumeric: boolean;
}

const GAP = "  ";
/** "unhealthy" is still readable at this width; a UUID keeps its first group. */
const MIN_TEXT_WIDTH = 8;
const MIN_ID_WIDTH = 9;
/** States are read before names: "unhealthy" and "in progress" stay whole. */
const MIN_STATE_WIDTH = 11;
/** Width that tells most names apart; no column is dropped for a wider one. */
const READABLE_WIDTH = 24;

/** Aligned columns below their headings, or a card for each row if the columns do not fit. */
export function* gridLines(grid: Grid, options: RenderOptions): Generator<string> {
  if (grid.count === 0) return;
  const { head, lines } = fitGrid(grid, options);
  yield* head;
  yield* lines(grid);
}

/** The layout of a grid. */
export interface FittedGrid {
  readonly head: readonly string[];
  /** The lines of further rows with the same columns. */
  readonly lines: (grid: Pick<Grid, "count" | "row">) => Iterable<string>;
}

/**
 * Decides the layout by a sample of the rows. Wider cells of further rows are cut, or, without a
 * limit of the width, stick out.
 */
export function fitGrid(sample: Grid, { width, paint }: RenderOptions): FittedGrid {
  const columns = measure(sample);
  const gone = droppedColumns(columns, sample.spare ?? [], width);
  if (gone.size > 0) {
    const left = <Part>(parts: readonly Part[]) => parts.filter((_, at) => !gone.has(at));
    const thin = ({ count, row }: Pick<Grid, "count" | "row">) => ({
      count,
      row: (index: number) => left(row(index)),
    });
    const { headings, labels } = sample;
    const options = { width, paint };
    const { head, lines } = fitGrid(
      { headings: left(headings), labels: left(labels), ...thin(sample) },
      options,
    );
    return { head, lines: (grid) => lines(thin(grid)) };
  }
  const space = width - GAP.length * (columns.length - 1);
  const widths = fitColumns(columns, space);
  if (!widths) return { head: [], lines: cards(sample.labels, { width, paint }) };
  const isCut = Number.isFinite(width);
  const last = columns.at(-1);
  // The last column often has identifiers, and further ones may be longer: it gets the space left.
  if (isCut && last?.isNumeric === false && widths.at(-1) === last.natural) {
    widths[widths.length - 1] = last.natural + space - sum(widths);
  }
  const isHeaded = sample.headings.some((heading) => heading !== "");
  const heading = sample.headings.map((text) => ({ text }));
  return {
    head: isHeaded
      ? [line(heading, columns, widths, isCut, (_cell, text) => paint("heading", text))]
      : [],
    *lines({ count, row }) {
      for (let index = 0; index < count; index += 1) {
        yield line(row(index), columns, widths, isCut, (cell, text) =>
          cell.tone ? paint(cell.tone, text) : text,
        );
      }
    },
  };
}

/** The spare columns to drop so that the others can be read; none if even that does not help. */
function droppedColumns(
  columns: readonly Column[],
  spare: readonly number[],
  width: number,
): ReadonlySet<number> {
  const gone = new Set<number>();
  const left = () => columns.filter((_, at) => !gone.has(at));
  const gaps = () => GAP.length * (left().length - 1);
  const isCut = () =>
    sum(left().map(({ natural, isId }) => (isId ? natural : Math.min(natural, READABLE_WIDTH)))) +
      gaps() >
    width;
  for (const at of spare) {
    if (isCut()) gone.add(at);
  }
  return fitColumns(left(), width - gaps()) ? gone : new Set();
}

function measure(grid: Grid): Column[] {
  const headings = grid.headings.map(displayWidth);
  const widest = [...headings];
  const ids = headings.map(() => false);
  const texts = headings.map(() => false);
  const numbers = headings.map(() => false);
  const states = headings.map(() => false);
  for (let index = 0; index < grid.count; index += 1) {
    grid.row(index).forEach((cell, at) => {
      widest[at] = Math.max(widest[at] ?? 0, displayWidth(cell.text));
      if (cell.id) ids[at] = true;
      if (cell.tone !== undefined && cell.tone !== "dim") states[at] = true;
      if (cell.number) numbers[at] = true;
      else if (cell.text !== "") texts[at] = true;
    });
  }
  return widest.map((natural, at) => {
    const isId = ids[at] === true;
    const shortest = states[at] ? MIN_STATE_WIDTH : MIN_TEXT_WIDTH;
    const least = Math.min(natural, isId ? MIN_ID_WIDTH : shortest);
    return {
      natural,
      minimum: Math.max(least, headings[at] ?? 0),
      least,
      isId,
      isNumeric: numbers[at] === true && texts[at] !== true,
    };
  });
}

/**
 * The width of each column; undefined if even the least widths do not fit. Other columns are cut
 * before identifiers. An identifier that cannot stay whole serves only to recognise, so it is cut to
 * its minimum at once and the others get the space. Headings are cut last.
 */
function fitColumns(columns: readonly Column[], space: number): number[] | undefined {
  const stages: ((column: Column) => Range)[] = [
    ({ natural, minimum, isId }) => ({ from: isId ? natural : minimum, to: natural }),
    ({ natural, minimum, isId }) => ({ from: minimum, to: isId ? minimum : natural }),
    ({ natural, least, isId }) => ({ from: least, to: isId ? least : natural }),
  ];
  for (const stage of stages) {
    const widths = levelWidths(columns.map(stage), space);
    if (widths) return widths;
  }
  return undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Cuts the widest columns to one common width; narrower ones stay. */
function levelWidths(ranges: readonly Range[], space: number): number[] | undefined {
  const at = (level: number) => ranges.map(({ from, to }) => Math.min(to, Math.max(from, level)));
  const widest = ranges.map(({ to }) => to);
  if (sum(widest) <= space) return widest;
  if (sum(at(0)) > space) return undefined;
  let level = 0;
  while (sum(at(level + 1)) <= space) level += 1;
  const widths = at(level);
  let spare = space - sum(widths);
  // The columns that are read first get the cells that are left over.
  return widths.map((width, index) => {
    if (spare === 0 || width >= (widest[index] ?? 0)) return width;
    spare -= 1;
    return width + 1;
  });
}

function line(
  row: readonly ShownCell[],
  columns: readonly Column[],
  widths: readonly number[],
  isCut: boolean,
  painted: (cell: ShownCell, text: string) => string,
): string {
  const last = row.findLastIndex((cell) => cell.text !== "");
  let written = "";
  for (let at = 0; at <= last; at += 1) {
    const cell = row[at] ?? { text: "" };
    const width = widths[at] ?? 0;
    const cut = cell.address ? truncateMiddle : truncate;
    const text = isCut ? cut(cell.text, width) : cell.text;
    const toned = text === "" ? "" : painted(cell, text);
    if (at > 0) written += GAP;
    if (columns[at]?.isNumeric) written += pad("", width - displayWidth(text)) + toned;
    else written += at === last ? toned : toned + pad("", width - displayWidth(text));
  }
  return written;
}

/** A block of `label  value` lines for each row, with whole identifiers and wrapped texts. */
function cards(names: readonly string[], { width, paint }: RenderOptions): FittedGrid["lines"] {
  const widest = Math.max(...names.map(displayWidth));
  const labels = Math.min(widest, Math.floor(width / 2));
  const room = width - labels - GAP.length;
  let isFirst = true;
  return function* ({ count, row }) {
    for (let index = 0; index < count; index += 1) {
      if (!isFirst) yield "";
      isFirst = false;
      for (const [at, cell] of row(index).entries()) {
        if (cell.text === "") continue;
        const label = pad(truncate(names[at] ?? "", labels), labels);
        for (const [nth, text] of (cell.id ? [cell.text] : wrap(cell.text, room)).entries()) {
          const left = nth === 0 ? paint("label", label) : pad("", labels);
          yield left + GAP + (cell.tone ? paint(cell.tone, text) : text);
        }
      }
    }
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
