import type { Block, Cell, Page, Row } from "../cli/view.ts";
import { foldCommand } from "../shell-words.ts";
import { onScreen, type Shown } from "./cell.ts";
import { gridLines } from "./columns.ts";
import { type Look, type Paint, type PaintTone, unpainted } from "./paint.ts";
import { renderRouting } from "./routing.ts";
import { display } from "./text.ts";
import { displayWidth, pad, truncate, wrap } from "./width.ts";

/** Draws a framed grid: `framed` of frame.ts, which is loaded only where a page has one. */
type Frame = (
  headings: readonly string[],
  rows: readonly (readonly Shown[])[],
  paint: Paint,
) => string[];

/** For whom a page is laid out. */
export interface PageLook extends Look {
  readonly now: Date;
  /** Without it, framed grids come out plain. */
  readonly frame?: Frame;
}

type Of<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

const GAP = 2;
/** What stands two cells in from the left in any case. */
const INDENTED: ReadonlySet<Block["kind"]> = new Set(["routing", "command"]);
/** A frame is for a screenful; drawing one takes the square of its rows. */
const FRAMED_ROWS = 60;
/** A label is never wider; the service may name things that become labels. */
const WIDEST_LABEL = 28;

/** Whether any grid of the page wants a frame. */
export function wantsFrame({ blocks }: Page): boolean {
  return blocks.some((block) => block.kind === "grid" && block.framed === true);
}

/** The lines of a page on a terminal. */
export function* renderPage(page: Page, look: PageLook): Generator<string> {
  yield* titleLines(page, look);
  const labels = labelWidth(page, look);
  for (const block of page.blocks) {
    const heading = "heading" in block ? display(block.heading ?? "", { inCell: true }) : "";
    const indent = heading === "" || INDENTED.has(block.kind) ? 0 : GAP;
    const lines = [...drawBlock(block, { ...look, width: look.width - indent }, labels - indent)];
    if (lines.length === 0) continue;
    yield "";
    if (heading !== "") yield* painted(wrap(heading, look.width), "heading", look.paint);
    for (const line of lines) yield line === "" ? "" : pad("", indent) + line;
  }
}

const DRAW: {
  [Kind in Block["kind"]]: (block: Of<Kind>, look: PageLook, labels: number) => Iterable<string>;
} = {
  rows: ({ rows }, look, labels) => rowLines(rows, look, labels),
  grid: gridBlock,
  routing: ({ picture }, look) => renderRouting(picture, look),
  command: ({ lines, folds }, { width }) =>
    lines.flatMap((line) => {
      const shown = display(line, { inCell: true });
      return (folds ? foldCommand(shown, width - GAP) : [shown]).map((part) => `  ${part}`);
    }),
  text: ({ text, tone }, look) =>
    text === "" ? [] : painted(wrap(display(text), look.width), tone, look.paint),
};

function drawBlock(block: Block, look: PageLook, labels: number): Iterable<string> {
  // The table pairs each kind with its own function; the compiler cannot follow that through.
  const draw = DRAW[block.kind] as (
    block: Block,
    look: PageLook,
    labels: number,
  ) => Iterable<string>;
  return draw(block, look, labels);
}

function titleLines(page: Page, { width, paint, now }: PageLook): string[] {
  const title = onScreen(page.title, now);
  const tone = title.tone ?? "title";
  const aside = display(page.aside ?? "", { inCell: true });
  const space = width - displayWidth(title.text) - displayWidth(aside);
  if (aside === "" || space < GAP) {
    return [
      ...painted(wrap(title.text, width), tone, paint),
      ...(aside === "" ? [] : painted(wrap(aside, width), "dim", paint)),
    ];
  }
  return [paint(tone, title.text) + pad("", space) + paint("dim", aside)];
}

/** Labels of all blocks stand in one column: that is what the eye runs down. */
function labelWidth({ blocks }: Page, { width }: PageLook): number {
  const widths = blocks.flatMap((block) =>
    block.kind === "rows"
      ? block.rows.map(
          ([label]) => displayWidth(display(label, { inCell: true })) + (block.heading ? GAP : 0),
        )
      : [],
  );
  return Math.min(Math.max(0, ...widths), WIDEST_LABEL, Math.floor(width / 2));
}

function* rowLines(rows: readonly Row[], look: PageLook, labels: number): Generator<string> {
  for (const [label, value] of rows) {
    const values = valuesOf(value).flatMap((cell) => valueLines(cell, look, labels));
    const name = pad(truncate(display(label, { inCell: true }), labels), labels);
    for (const [at, line] of values.entries()) {
      yield (at === 0 ? look.paint("label", name) : pad("", labels)) + pad("", GAP) + line;
    }
  }
}

function valueLines(cell: Cell, { width, paint, now }: PageLook, labels: number): string[] {
  const shown = onScreen(cell, now);
  // Identifiers are there to be copied: whole, on one line.
  const lines = shown.id
    ? [shown.text]
    : wrap(shown.text + exactTime(cell, shown), width - labels - GAP);
  return painted(lines, shown.tone, paint);
}

/** A record has the room to say when exactly. */
function exactTime(cell: Cell, shown: Shown): string {
  if (typeof cell !== "object" || cell?.kind !== "time" || cell.text === shown.text) return "";
  return ` (${display(cell.text, { inCell: true })})`;
}

/** The values of a row that show as something; none means that the row is left out. */
export function valuesOf(value: Row[1]): Cell[] {
  const cells: readonly Cell[] = Array.isArray(value) ? value : [value as Cell];
  return cells.filter((cell) => {
    const text = typeof cell === "object" && cell !== null ? cell.text : cell;
    return text !== undefined && text !== null && text !== "";
  });
}

function gridBlock({ columns, rows, framed }: Of<"grid">, look: PageLook): Iterable<string> {
  const labels = columns.map((column) => display(column, { inCell: true }));
  const shown = rows.map((row) => row.map((cell) => onScreen(cell, look.now)));
  if (framed && look.frame && rows.length <= FRAMED_ROWS) {
    // Measured without colour, whose codes would count.
    const plain = look.frame(labels, shown, unpainted);
    if (plain.every((line) => displayWidth(line) <= look.width)) {
      return look.frame(labels, shown, look.paint);
    }
  }
  const headings = labels.map((label) => label.toUpperCase());
  return gridLines({ headings, labels, count: rows.length, row: (at) => shown[at] ?? [] }, look);
}

function painted(lines: readonly string[], tone: PaintTone | undefined, paint: Paint): string[] {
  return lines.map((line) => (tone && line !== "" ? paint(tone, line) : line));
}
