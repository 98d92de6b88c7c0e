import type { ShownCell } from "./cell.ts";
import type { RenderOptions } from "./paint.ts";
import { displayWidth, pad, truncate, wrap } from "./width.ts";

/** Rows that can be read more than once: measured first, then written, never all held as text. */
export interface Grid {
  /** Above the columns; left out where all are empty. */
  readonly headings: readonly string[];
  /** Beside the values, where the columns do not fit. */
  readonly labels: readonly string[];
  readonly count: number;
  readonly row: (index: number) => readonly ShownCell[];
  /** Columns that go, in this order, while what is left would have to be cut. */
  readonly spare?: readonly number[];
}

interface Column {
  /** The widest content, the heading included. */
  readonly natural: number;
  /** With the heading whole. */
  readonly minimum: number;
  /** With the heading cut too. */
  readonly least: number;
  readonly isId: boolean;
  readonly isNumeric: boolean;
}

const GAP = "  ";
/** "unhealthy" still says something at this width; a UUID keeps its first group. */
const MIN_TEXT_WIDTH = 8;
const MIN_ID_WIDTH = 9;
/** What has a meaning is read before names are: "unhealthy" and "in progress" stay whole. */
const MIN_STATE_WIDTH = 11;
/** Most names can be told apart by as much; beyond, no column goes for it. */
const READABLE_WIDTH = 24;

/** Aligned columns below their headings, or one card a row where the columns cannot fit. */
export function* gridLines(grid: Grid, options: RenderOptions): Generator<string> {
  if (grid.count === 0) return;
  const { head, lines } = fitGrid(grid, options);
  yield* head;
  yield* lines(grid);
}

/** A grid whose layout is decided. */
export interface FittedGrid {
  readonly head: readonly string[];
  /** The rows of a grid of the same columns, each call's below those of the calls before. */
  readonly lines: (grid: Pick<Grid, "count" | "row">) => Iterable<string>;
}

/**
 * Decides the layout by some rows. What is wider in further ones is cut, or, where there is no limit
 * to the width, stands out.
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
  // Mostly identifiers, and further ones may be longer: what room is left is theirs.
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

/** The spare columns that go so that others can be read; none where even then nothing fits. */
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
 * The width of each column, or nothing where not even the least fits. Other columns give way before
 * identifiers do. An identifier that cannot stay whole is of use only for recognising, so it goes
 * down to its minimum at once and the space goes back to the others. Headings are cut last.
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

/** Cuts the widest columns down to one common level; narrow ones are not touched. */
function levelWidths(ranges: readonly Range[], space: number): number[] | undefined {
  const at = (level: number) => ranges.map(({ from, to }) => Math.min(to, Math.max(from, level)));
  const widest = ranges.map(({ to }) => to);
  if (sum(widest) <= space) return widest;
  if (sum(at(0)) > space) return undefined;
  let level = 0;
  while (sum(at(level + 1)) <= space) level += 1;
  const widths = at(level);
  let spare = space - sum(widths);
  // What the last step left over goes to the columns that are read first.
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
    const text = isCut ? truncate(cell.text, width) : cell.text;
    const toned = text === "" ? "" : painted(cell, text);
    if (at > 0) written += GAP;
    if (columns[at]?.isNumeric) written += pad("", width - displayWidth(text)) + toned;
    else written += at === last ? toned : toned + pad("", width - displayWidth(text));
  }
  return written;
}

/** One block an item, a blank line between: `label  value`, identifiers whole, the rest wrapped. */
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
