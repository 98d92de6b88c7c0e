import { foldCommand } from "../values/shell.ts";
import type { Block, Cell, Page, PageRow } from "../view/view.ts";
import { type ShownCell, terminalCell } from "./cell.ts";
import { gridLines } from "./columns.ts";
import { type Paint, type PaintTone, type RenderOptions, unpainted } from "./paint.ts";
import { renderRoutingPicture, routingEdges } from "./routing-picture.ts";
import { sanitize } from "./text.ts";
import { displayWidth, pad, truncate, wrap } from "./width.ts";

/** Draws a framed grid: `framed` of frame.ts, which is loaded only where a page has one. */
type Frame = (
  headings: readonly string[],
  rows: readonly (readonly ShownCell[])[],
  paint: Paint,
) => string[];

/** For whom a page is laid out. */
export interface PageRenderOptions extends RenderOptions {
  readonly now: Date;
  /** Without it, framed grids come out plain. */
  readonly frame?: Frame;
}

type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

const GAP = 2;
/** What stands two cells in from the left in any case. */
const INDENTED_BLOCKS: ReadonlySet<Block["kind"]> = new Set(["routing", "command"]);
/** A frame is for a screenful; drawing one takes the square of its rows. */
const MAX_FRAMED_ROWS = 60;
/** A label is never wider; the service may name things that become labels. */
const MAX_LABEL_WIDTH = 28;

/** Whether any grid of the page wants a frame. */
export function hasFramedGrid({ blocks }: Page): boolean {
  return blocks.some((block) => block.kind === "grid" && block.framed === true);
}

/** The lines of a page on a terminal. */
export function* renderPage(page: Page, look: PageRenderOptions): Generator<string> {
  yield* titleLines(page, look);
  const labels = labelWidth(page, look);
  for (const block of page.blocks) {
    const heading = "heading" in block ? sanitize(block.heading ?? "", { inCell: true }) : "";
    const indent = heading === "" || INDENTED_BLOCKS.has(block.kind) ? 0 : GAP;
    const lines = [...drawBlock(block, { ...look, width: look.width - indent }, labels - indent)];
    if (lines.length === 0) continue;
    yield "";
    if (heading !== "") yield* paintLines(wrap(heading, look.width), "heading", look.paint);
    for (const line of lines) yield line === "" ? "" : pad("", indent) + line;
  }
}

const DRAW: {
  [Kind in Block["kind"]]: (
    block: BlockOf<Kind>,
    look: PageRenderOptions,
    labels: number,
  ) => Iterable<string>;
} = {
  rows: ({ rows }, look, labels) => rowLines(rows, look, labels),
  grid: gridBlock,
  routing: ({ picture }, look) => renderRoutingPicture(picture, look),
  command: ({ lines, folds }, { width }) =>
    lines.flatMap((line) => {
      const shown = sanitize(line, { inCell: true });
      return (folds ? foldCommand(shown, width - GAP) : [shown]).map((part) => `  ${part}`);
    }),
  text: ({ text, tone }, look) =>
    text === "" ? [] : paintLines(wrap(sanitize(text), look.width), tone, look.paint),
};

function drawBlock(block: Block, look: PageRenderOptions, labels: number): Iterable<string> {
  // The table pairs each kind with its own function; the compiler cannot follow that through.
  const draw = DRAW[block.kind] as (
    block: Block,
    look: PageRenderOptions,
    labels: number,
  ) => Iterable<string>;
  return draw(block, look, labels);
}

function titleLines(page: Page, { width, paint, now }: PageRenderOptions): string[] {
  const title = terminalCell(page.title, now);
  const tone = title.tone ?? "title";
  const aside = sanitize(page.aside ?? "", { inCell: true });
  const space = width - displayWidth(title.text) - displayWidth(aside);
  if (aside === "" || space < GAP) {
    return [
      ...paintLines(wrap(title.text, width), tone, paint),
      ...(aside === "" ? [] : paintLines(wrap(aside, width), "dim", paint)),
    ];
  }
  return [paint(tone, title.text) + pad("", space) + paint("dim", aside)];
}

/** Labels of all blocks stand in one column: that is what the eye runs down. */
function labelWidth({ blocks }: Page, { width }: PageRenderOptions): number {
  const widths = blocks.flatMap((block) =>
    block.kind === "rows"
      ? block.rows.map(
          ([label]) => displayWidth(sanitize(label, { inCell: true })) + (block.heading ? GAP : 0),
        )
      : [],
  );
  return Math.min(Math.max(0, ...widths), MAX_LABEL_WIDTH, Math.floor(width / 2));
}

function* rowLines(
  rows: readonly PageRow[],
  look: PageRenderOptions,
  labels: number,
): Generator<string> {
  for (const [label, value] of rows) {
    const values = shownValues(value).flatMap((cell) => valueLines(cell, look, labels));
    const name = pad(truncate(sanitize(label, { inCell: true }), labels), labels);
    for (const [at, line] of values.entries()) {
      yield (at === 0 ? look.paint("label", name) : pad("", labels)) + pad("", GAP) + line;
    }
  }
}

function valueLines(
  cell: Cell,
  { width, paint, now }: PageRenderOptions,
  labels: number,
): string[] {
  const shown = terminalCell(cell, now);
  // Identifiers are there to be copied: whole, on one line.
  const lines = shown.id
    ? [shown.text]
    : wrap(shown.text + exactTime(cell, shown), width - labels - GAP);
  return paintLines(lines, shown.tone, paint);
}

/** A record has the room to say when exactly. */
function exactTime(cell: Cell, shown: ShownCell): string {
  if (typeof cell !== "object" || cell?.kind !== "time" || cell.text === shown.text) return "";
  return ` (${sanitize(cell.text, { inCell: true })})`;
}

/** The values of a row that show as something; none means that the row is left out. */
export function shownValues(value: PageRow[1]): Cell[] {
  const cells: readonly Cell[] = Array.isArray(value) ? value : [value as Cell];
  return cells.filter((cell) => {
    const text = typeof cell === "object" && cell !== null ? cell.text : cell;
    return text !== undefined && text !== null && text !== "";
  });
}

function gridBlock(
  { columns, rows, framed }: BlockOf<"grid">,
  look: PageRenderOptions,
): Iterable<string> {
  const labels = columns.map((column) => sanitize(column, { inCell: true }));
  const shown = rows.map((row) => row.map((cell) => terminalCell(cell, look.now)));
  if (framed && look.frame && rows.length <= MAX_FRAMED_ROWS) {
    // Measured without colour, whose codes would count.
    const plain = look.frame(labels, shown, unpainted);
    if (plain.every((line) => displayWidth(line) <= look.width)) {
      return look.frame(labels, shown, look.paint);
    }
  }
  const headings = labels.map((label) => label.toUpperCase());
  return gridLines({ headings, labels, count: rows.length, row: (at) => shown[at] ?? [] }, look);
}

function paintLines(lines: readonly string[], tone: PaintTone | undefined, paint: Paint): string[] {
  return lines.map((line) => (tone && line !== "" ? paint(tone, line) : line));
}

type BlockOfKind<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

/**
 * A page for a program: the title with what stands beside it, then label and value, one row a
 * value. In a section the label is `Section/Label`, so that each row can be found alone.
 */
export function* pageRows({ title, aside, blocks }: Page): Generator<readonly Cell[]> {
  yield aside ? [title, aside] : [title];
  for (const block of blocks) yield* flatten(block);
}

const FLATTEN: {
  [Kind in Block["kind"]]: (block: BlockOfKind<Kind>) => Iterable<readonly Cell[]>;
} = {
  rows: ({ heading, rows }) =>
    rows.flatMap(([label, value]) =>
      shownValues(value).map((cell) => [heading ? `${heading}/${label}` : label, cell]),
    ),
  grid: ({ rows }) => rows,
  routing: ({ picture }) => routingEdges(picture),
  command: ({ lines }) => lines.map((line) => [line]),
  text: ({ text }) => (text === "" ? [] : text.split("\n").map((line) => [line])),
};

function flatten(block: Block): Iterable<readonly Cell[]> {
  // As in page.ts: each kind has its own function.
  return (FLATTEN[block.kind] as (block: Block) => Iterable<readonly Cell[]>)(block);
}
