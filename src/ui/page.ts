import { asList } from "../values/basics.ts";
import { numberText } from "../values/counted.ts";
import { foldCommand } from "../values/shell.ts";
import {
  type Bar,
  type Block,
  type Cell,
  type Page,
  type PageRow,
  routingEdges,
} from "../view/view.ts";
import { type ShownCell, terminalCell } from "./cell.ts";
import { fitGrid, labelledLines } from "./columns.ts";
import type { Paint, PaintTone, RenderOptions } from "./paint.ts";
import { renderRoutingPicture } from "./routing-picture.ts";
import { displayWidth, pad, sanitize, sanitizeLine, truncate, wrap } from "./text.ts";

/** The type of `drawFrame` in frame.ts, which is loaded only for a page with a framed grid. */
type DrawFrame = typeof import("./frame.ts").drawFrame;

/** The options for drawing a page. */
interface PageRenderOptions extends RenderOptions {
  readonly now: Date;
  /** Whether progress was shown on the same terminal. */
  readonly progressShown?: boolean;
  /** Whether the output is not a terminal: nothing is then cut or wrapped, whatever its width. */
  readonly isPiped?: boolean;
  /** Draws frames; absent: framed grids are drawn without a frame. */
  readonly frame?: DrawFrame;
}

type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

const GAP = 2;
/** Blocks that are indented by two cells even without a heading. */
const INDENTED_BLOCKS: ReadonlySet<Block["kind"]> = new Set(["routing", "command"]);
/** The maximum rows of a framed grid: cli-table3 takes quadratic time. */
const MAX_FRAMED_ROWS = 60;
/** The maximum width of a label: names of the service may become labels. */
const MAX_LABEL_WIDTH = 28;

/** Whether a page has a framed grid. */
export function usesFrame({ blocks }: Page): boolean {
  return blocks.some((block) => block.kind === "grid" && block.framed === true);
}

/** The lines of a page on a terminal. */
export function* renderPage(page: Page, given: PageRenderOptions): Generator<string> {
  const options = given.isPiped ? { ...given, width: Number.POSITIVE_INFINITY } : given;
  yield* titleLines(page, options);
  const labels = labelWidth(page, options);
  for (const block of page.blocks) {
    const heading = "heading" in block ? sanitizeLine(block.heading ?? "") : "";
    const indent = heading === "" || INDENTED_BLOCKS.has(block.kind) ? 0 : GAP;
    const inner = { ...options, width: options.width - indent };
    let isFirst = true;
    for (const line of formatOf(block).draw(block, inner, labels - indent)) {
      if (isFirst) yield "";
      if (isFirst && heading !== "") {
        yield* paintLines(wrap(heading, options.width), "heading", options.paint);
      }
      isFirst = false;
      yield line === "" ? "" : pad("", indent) + line;
    }
  }
}

/** The format of a kind of block, for people and for programs. */
interface BlockFormat<Of> {
  draw(block: Of, options: PageRenderOptions, labels: number): Iterable<string>;
  rows(block: Of): Iterable<readonly Cell[]>;
}

const FORMATS: { readonly [Kind in Block["kind"]]: BlockFormat<BlockOf<Kind>> } = {
  rows: {
    draw: ({ rows }, options, labels) => rowLines(rows, options, labels),
    rows: ({ heading, rows }) =>
      rows.flatMap(([label, value]) =>
        shownValues(value).map((cell) => [heading ? `${heading}/${label}` : label, cell]),
      ),
  },
  grid: { draw: gridBlock, rows: ({ rows }) => rows },
  bars: {
    draw: ({ bars, maxBars }, options) =>
      bars.length === 0 ? [] : barLines(bars, options.isPiped ? bars.length : maxBars, options),
    rows: ({ heading, bars }) =>
      bars.map(({ label, count }) => [heading, label, count, ...nameOf(label)]),
  },
  routing: {
    draw: ({ picture }, options) => renderRoutingPicture(picture, options),
    rows: ({ picture }) => routingEdges(picture),
  },
  command: {
    draw: ({ lines }, { width }) =>
      lines.flatMap((line) => {
        if (typeof line === "string") return [`  ${sanitizeLine(line)}`];
        return foldCommand(sanitizeLine(line.line()), width - GAP).map((part) => `  ${part}`);
      }),
    // A suggested command is advice for a person, who gets it on stderr.
    rows: ({ lines }) => lines.flatMap((line) => (typeof line === "string" ? [[line]] : [])),
  },
  text: {
    draw: ({ text, tone, onTerminal }, options) =>
      text === "" || (onTerminal && options.isPiped)
        ? []
        : paintLines(wrap(sanitize(text), options.width), tone, options.paint),
    rows: ({ text, onTerminal }) =>
      text === "" || onTerminal ? [] : text.split("\n").map((line) => [line]),
  },
};

/** The format of a block; the compiler cannot see that it fits the block's own kind. */
function formatOf(block: Block): BlockFormat<Block> {
  return FORMATS[block.kind] as BlockFormat<Block>;
}

function titleLines(page: Page, { width, paint, now }: PageRenderOptions): string[] {
  const title = terminalCell(page.title, now);
  const tone = title.tone ?? "title";
  const aside = sanitizeLine(page.aside ?? "");
  const space = width - displayWidth(title.text) - displayWidth(aside);
  if (aside === "" || space < GAP) {
    return [
      ...paintLines(wrap(title.text, width), tone, paint),
      ...(aside === "" ? [] : paintLines(wrap(aside, width), "dim", paint)),
    ];
  }
  const gap = Number.isFinite(space) ? space : GAP;
  return [paint(tone, title.text) + pad("", gap) + paint("dim", aside)];
}

/** The width of the label column that all blocks share. */
function labelWidth({ blocks }: Page, { width, isPiped }: PageRenderOptions): number {
  const widths = blocks.flatMap((block) =>
    block.kind === "rows"
      ? block.rows.map(([label]) => displayWidth(sanitizeLine(label)) + (block.heading ? GAP : 0))
      : [],
  );
  const widest = Math.max(0, ...widths);
  return isPiped ? widest : Math.min(widest, MAX_LABEL_WIDTH, Math.floor(width / 2));
}

function* rowLines(
  rows: readonly PageRow[],
  options: PageRenderOptions,
  labels: number,
): Generator<string> {
  for (const [label, value] of rows) {
    const cells = shownValues(value).map((cell) => withExactTime(cell, options.now));
    yield* labelledLines(sanitizeLine(label), cells, { ...options, labels });
  }
}

/** A cell with the exact time after a relative one: a page has room for both. */
function withExactTime(cell: Cell, now: Date): ShownCell {
  const shown = terminalCell(cell, now);
  if (typeof cell !== "object" || cell?.kind !== "time" || cell.text === shown.text) return shown;
  return { ...shown, text: `${shown.text} (${sanitizeLine(cell.text)})` };
}

/** The values of a row that are not empty; a row without any is left out. */
function shownValues(value: PageRow[1]): Cell[] {
  const textOf = (cell: Cell) => (typeof cell === "object" ? cell?.text : cell) ?? "";
  return asList(value).filter((cell) => textOf(cell) !== "");
}

function* gridBlock(
  { columns, rows: all, onTerminal, framed, cards, wasProgress }: BlockOf<"grid">,
  options: PageRenderOptions,
): Generator<string> {
  const { isPiped } = options;
  if (wasProgress && options.progressShown) return;
  const rows = isPiped ? all : (onTerminal ?? all);
  if (cards) return yield* cardLines(rows, options);
  const labels = columns.map((column) => sanitizeLine(column));
  const cells = rows.map((row) => row.map((cell) => terminalCell(cell, options.now)));
  const isSmall = framed && !isPiped && rows.length <= MAX_FRAMED_ROWS;
  const lines = isSmall ? options.frame?.(labels, cells, options) : undefined;
  if (lines) return yield* lines;
  if (rows.length === 0) return;
  const headed = columns.map((label) => ({ heading: label.toUpperCase(), label }));
  const layout = fitGrid(headed, { rows: cells, isWhole: true }, options);
  yield* layout.head;
  yield* layout.lines(cells);
}

function* cardLines(rows: BlockOf<"grid">["rows"], options: PageRenderOptions): Generator<string> {
  const labelled = rows.map(([label, ...values]) => ({
    label: terminalCell(label, options.now).text,
    values,
  }));
  const labels = Math.max(0, ...labelled.map(({ label }) => displayWidth(label)));
  for (const [at, { label, values }] of labelled.entries()) {
    if (at > 0) yield "";
    yield* rowLines([[label, values]], options, labels);
  }
}

function paintLines(lines: readonly string[], tone: PaintTone | undefined, paint: Paint): string[] {
  return lines.map((line) => (tone && line !== "" ? paint(tone, line) : line));
}

/**
 * The rows of a page for a program: title and aside, then label and value, one row for each value.
 * In a section the label is `Section/Label`, so that each row can be found by itself.
 */
export function* pageRows({ title, aside, blocks }: Page): Generator<readonly Cell[]> {
  yield aside ? [title, aside] : [title];
  for (const block of blocks) yield* formatOf(block).rows(block);
}

/**
 * The further cell of a row for programs that has a name: there the label itself is the `raw` ID.
 * The `raw` of a state is the state in the service's words, so its text would say it twice.
 */
function nameOf(label: Cell): string[] {
  const isNamed = typeof label === "object" && label?.raw !== undefined && label.kind !== "state";
  return isNamed ? [label.text] : [];
}

/** The parts of a cell that end a bar, by eighths. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const FULL = "█";
/** The widest bar: a longer one is no easier to compare. */
const MAX_BAR = 60;
/** The widest label of a bar, and the share of a narrow terminal that labels have. */
const MAX_LABEL = 40;
const LABEL_SHARE = 0.45;

/**
 * Draws a bar for each count, as long as its share of the highest one. A bar that is not zero is
 * visible, and without a limit of the width only the numbers are written.
 * @param shown the number of bars to draw; the others are one line with their sum
 */
export function* barLines(
  all: readonly Bar[],
  shown: number,
  { width, paint, now }: RenderOptions & { readonly now: Date },
): Generator<string> {
  // A line that says "1 more" would take as much room as the one bar.
  const bars = all.length > shown + 1 ? all.slice(0, shown) : all;
  const rest = all.slice(bars.length);
  const labels = bars.map(({ label }) => terminalCell(label, now));
  const more = `${rest.length} more`;
  const widest = Math.max(
    ...labels.map(({ text }) => displayWidth(text)),
    rest.length > 0 ? more.length : 0,
  );
  const limit = Number.isFinite(width) ? Math.floor(width * LABEL_SHARE) : widest;
  const labelWidth = Math.min(widest, limit, MAX_LABEL);
  const restCount = rest.reduce((sum, { count }) => sum + count, 0);
  const highest = Math.max(1, ...bars.map(({ count }) => count));
  const countWidth = numberText(Math.max(highest, restCount)).length;
  const room = Math.min(MAX_BAR, width - labelWidth - countWidth - 2 * GAP);
  const line = (label: string, count: number, bar: string) =>
    `${label}${pad("", GAP)}${numberText(count).padStart(countWidth)}${bar === "" ? "" : pad("", GAP) + bar}`;
  for (const [at, { count }] of bars.entries()) {
    const { text, tone } = labels[at] ?? { text: "" };
    const name = truncate(text, labelWidth);
    const label = (tone ? paint(tone, name) : name) + pad("", labelWidth - displayWidth(name));
    const bar = Number.isFinite(width) ? barText(count / highest, room) : "";
    yield line(label, count, tone && tone !== "dim" && bar !== "" ? paint(tone, bar) : bar);
  }
  if (rest.length > 0) yield paint("dim", line(pad(more, labelWidth), restCount, ""));
}

function barText(share: number, room: number): string {
  if (share === 0 || room < 1) return "";
  const eighths = Math.max(1, Math.round(share * room * EIGHTHS.length));
  return FULL.repeat(Math.floor(eighths / EIGHTHS.length)) + EIGHTHS[eighths % EIGHTHS.length];
}
