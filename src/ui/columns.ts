import type { ShownCell } from "./cell.ts";
import type { PaintTone, RenderOptions } from "./paint.ts";
import { displayWidth, pad, sanitizeLine, truncate, widest, wrap } from "./text.ts";

export interface GridColumn {
  /** The text above the column. */
  readonly heading: string;
  /** The label in a card. */
  readonly label: string;
  /** Whether it is cut before it is left out. */
  readonly isKept?: boolean;
}

interface GridSample {
  readonly rows: readonly (readonly ShownCell[])[];
  /** Whether no further rows follow. */
  readonly isWhole: boolean;
  /** Whether columns that are empty, or do not fit, are left out. */
  readonly drops?: boolean;
  /** Whether no cell may be cut: what does not fit becomes a card. */
  readonly uncut?: boolean;
}

/** The layout of a grid. */
export interface GridLayout {
  readonly head: readonly string[];
  /** The labels of the columns that did not fit. */
  readonly hidden: readonly string[];
  /** The lines of rows with these columns. */
  readonly lines: (rows: Iterable<readonly ShownCell[]>) => Iterable<string>;
}

interface MeasuredColumn extends GridColumn {
  /** The position in a row. */
  readonly at: number;
  readonly least: number;
  readonly natural: number;
  readonly isEmpty: boolean;
  /** A name, or the ID: neither is left out. The first column is a name, unless others are kept. */
  readonly stays: boolean;
  readonly isNumeric: boolean;
  /** Whether its cells are never cut. */
  readonly isUncut: boolean;
}

const GAP = "  ";
/** The least width of a column: of a list, where others may go, of its sentences, and of a page. */
const MIN_WIDTH = 20;
const MIN_SENTENCE = 16;
/** The width of names for which further columns of a list make room. */
const MIN_NAME = 28;
const MIN_PAGE_WIDTH = 8;
const MIN_COLUMNS = 3;
/** The share of the width up to which a name makes its column wider. */
const NAME_SHARE = 0.6;

/**
 * Decides the layout of a grid from a sample of its rows: aligned columns below their headings.
 * Columns that do not fit go from the right, but never the name and the ID, which are never cut: a
 * long name gets a line of its own. Columns that are kept are cut once no other can go. Where fewer than three would be left, each row becomes a card.
 */
export function fitGrid(
  given: readonly GridColumn[],
  sample: GridSample,
  options: RenderOptions,
): GridLayout {
  const all = measure(given, sample, options.width);
  const columns = [...all];
  const leastWidth = () => widthOf(columns.map(({ least }) => least));
  while (sample.drops && leastWidth() > options.width) {
    const last = columns.findLastIndex(({ stays, isKept }) => !stays && !isKept);
    if (last < 0) break;
    columns.splice(last, 1);
  }
  while (leastWidth() > options.width) {
    const most = Math.max(...columns.map(({ isKept, least }) => (isKept ? least : 0)));
    if (most <= MIN_PAGE_WIDTH) break;
    const at = columns.findLastIndex(({ isKept, least }) => isKept && least === most);
    columns.splice(at, 1, { ...(columns[at] as MeasuredColumn), least: most - 1 });
  }
  const isTooFew = columns.length < Math.min(MIN_COLUMNS, all.length);
  if (isTooFew || leastWidth() > options.width) {
    return { head: [], hidden: [], lines: cardLines(all, options) };
  }
  const lines = rowLines(columns, sample.drops === true, options);
  const headings = given.map(({ heading }) => ({
    text: sanitizeLine(heading),
    tone: "heading" as const,
    wraps: true as const,
  }));
  return {
    head: headings.some(({ text }) => text !== "") ? [...lines([headings])] : [],
    hidden: all
      .filter(({ at }) => !columns.some((one) => one.at === at))
      .map(({ label }) => sanitizeLine(label)),
    lines,
  };
}

type PaintedCell = Omit<ShownCell, "tone"> & { readonly tone?: PaintTone };

function rowLines(
  columns: readonly MeasuredColumn[],
  drops: boolean,
  { width, paint }: RenderOptions,
) {
  const widths = columns.map(({ least }) => least);
  let left = width - widthOf(widths);
  for (const [nth, { natural }] of columns.entries()) {
    const more = Math.min(left, natural - (widths[nth] ?? 0));
    widths[nth] = (widths[nth] ?? 0) + more;
    left -= more;
  }
  const last = columns.at(-1);
  const isCut = Number.isFinite(width);
  // Cells of further rows may be longer.
  widths[widths.length - 1] = (widths.at(-1) ?? 0) + (isCut && !last?.isNumeric ? left : 0);
  /** The lines of a cell: those of a page are wrapped in their columns, those of a list cut. */
  const linesOf = (column: MeasuredColumn, { text, wraps }: PaintedCell, room: number) => {
    if (!isCut || column.isUncut) return [text];
    const isWrapped = wraps || !drops;
    const lines = isWrapped ? wrap(text, room) : [text];
    return isWrapped && column === last ? lines : lines.map((one) => truncate(one, room));
  };
  const line = (row: readonly PaintedCell[]) => {
    const lastFilled = columns.findLastIndex(({ at }) => row[at]?.text);
    return columns
      .slice(0, lastFilled + 1)
      .map((column, nth) => {
        const { text: shown, tone } = row[column.at] ?? { text: "" };
        const room = widths[nth] ?? 0;
        const painted = tone && shown !== "" ? paint(tone, shown) : shown;
        const fill = pad("", room - displayWidth(shown));
        if (column.isNumeric) return fill + painted;
        return nth === lastFilled ? painted : painted + fill;
      })
      .join(GAP);
  };
  return function* (rows: Iterable<readonly PaintedCell[]>): Generator<string> {
    for (let row of rows) {
      const name = columns[0]?.at === 0 ? row[0] : undefined;
      if (isCut && name && columns.length > 1 && displayWidth(name.text) > (widths[0] ?? 0)) {
        for (const text of wrap(name.text, width)) {
          yield name.tone ? paint(name.tone, text) : text;
        }
        row = row.with(0, { text: "" });
      }
      const cells = columns.map((column, nth) => {
        const cell = row[column.at] ?? { text: "" };
        return { at: column.at, cell, lines: linesOf(column, cell, widths[nth] ?? 0) };
      });
      const height = Math.max(...cells.map(({ lines }) => lines.length));
      for (let nth = 0; nth < height; nth += 1) {
        const shown: PaintedCell[] = [];
        for (const { at, cell, lines } of cells) shown[at] = { ...cell, text: lines[nth] ?? "" };
        yield line(shown);
      }
    }
  };
}

function measure(
  given: readonly GridColumn[],
  { rows, isWhole, drops, uncut = false }: GridSample,
  width: number,
): MeasuredColumn[] {
  const keeps = given.some(({ isKept }) => isKept);
  const measured = given.map((column, at): MeasuredColumn => {
    const heading = sanitizeLine(column.heading);
    const filled = rows.flatMap((row) => (row[at]?.text ? [row[at]] : []));
    const cells = widest(filled.map(({ text }) => text));
    const natural = Math.max(cells, displayWidth(heading));
    const word = widest(heading.split(" "));
    const kinds = new Set(filled.map(({ kind }) => kind));
    const stays =
      (at === 0 && !keeps) || kinds.has("id") || (drops === true && kinds.has("address"));
    const isUncut = stays || uncut;
    const most = filled.some(({ wraps }) => wraps) ? MIN_SENTENCE : MIN_WIDTH;
    return {
      ...column,
      at,
      natural,
      least: isUncut
        ? natural
        : Math.min(drops ? Math.max(cells, word) : natural, drops ? most : leastOf(filled)),
      isEmpty: filled.length === 0,
      stays,
      isNumeric: kinds.size === 1 && kinds.has("number"),
      isUncut,
    };
  });
  const shown = measured.filter(({ isEmpty, at }) => !drops || !isWhole || !isEmpty || at === 0);
  const [name, ...others] = shown;
  if (name === undefined || others.length === 0 || uncut) return shown;
  const roomBeside = (count: number) => {
    const beside = others.filter(({ stays }, at) => !drops || stays || at < count);
    return width - widthOf([0, ...beside.map(({ least }) => least)]);
  };
  // An address is not for reading alone: it stays on its line.
  const isAddress = rows.some((row) => row[name.at]?.kind === "address");
  const counts = isAddress ? [] : [3, 2];
  const room = counts.map(roomBeside).find((left) => left >= MIN_NAME) ?? roomBeside(1);
  const most = Math.max(MIN_WIDTH, Math.min(room, NAME_SHARE * width));
  const names = [name.heading, ...rows.map((row) => row[name.at]?.text ?? "")];
  const natural = widest(names.filter((text) => displayWidth(text) <= most));
  return [{ ...name, natural, least: natural }, ...others];
}

/** The width of a page's column, which wraps its cells: its words fit, and names at any length. */
function leastOf(cells: readonly ShownCell[]): number {
  return cells.reduce((most, { text, kind }) => {
    const word = widest(text.split(" "));
    return Math.max(most, kind === "address" ? word : Math.min(word, MIN_WIDTH));
  }, MIN_PAGE_WIDTH);
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((total, one) => total + one, GAP.length * (widths.length - 1));
}

/**
 * A block of `label  value` lines for each row, with whole identifiers and wrapped texts; without
 * labels a row is a paragraph.
 */
function cardLines(
  columns: readonly MeasuredColumn[],
  { width, paint }: RenderOptions,
): GridLayout["lines"] {
  const names = columns.map(({ label }) => sanitizeLine(label));
  const labels = Math.min(widest(names), Math.floor(width / 2));
  let isFirst = true;
  return function* (rows) {
    for (const row of rows) {
      if (labels === 0) {
        const [mark, ...others] = columns.flatMap(({ at }) => (row[at]?.text ? [row[at]] : []));
        const left = displayWidth(mark?.text ?? "") + GAP.length;
        const text = others.map((cell) => cell.text).join(" ");
        for (const [nth, line] of wrap(text, width - left).entries()) {
          const first = mark?.tone ? paint(mark.tone, mark.text) : mark?.text;
          yield (nth === 0 ? first + GAP : pad("", left)) + line;
        }
        continue;
      }
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
