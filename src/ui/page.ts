import { asList } from "../values/basics.ts";
import { numberText } from "../values/counted.ts";
import { foldCommand } from "../values/shell.ts";
import {
  type Bar,
  type Block,
  type Cell,
  cellText,
  type Page,
  type PageRow,
  type RoutingPicture,
  routingEdges,
} from "../view/view.ts";
import { type ShownCell, terminalCell } from "./cell.ts";
import { fitGrid, labelledLines } from "./columns.ts";
import type { Paint, PaintTone, RenderOptions } from "./paint.ts";
import { spokenPage } from "./spoken.ts";
import { displayWidth, pad, sanitize, sanitizeLine, truncate, widest, wrap } from "./text.ts";

/** The type of `drawFrame` in frame.ts, which is loaded only for a page with a framed grid. */
type DrawFrame = typeof import("./frame.ts").drawFrame;

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
  if (given.isSpoken) return yield* spokenPage(page, given);
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
    rows: ({ heading, bars }) => bars.map(({ label, count }) => [heading, ...withId(label, count)]),
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
  if (title.text === "") return [];
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
  const labels = blocks.flatMap((block) =>
    block.kind === "rows"
      ? block.rows.map(([label]) => (block.heading ? INDENT : "") + sanitizeLine(label))
      : [],
  );
  if (isPiped) return widest(labels);
  return Math.min(widest(labels), MAX_LABEL_WIDTH, Math.floor(width / 2));
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
  return asList(value).filter((cell) => cellText(cell) !== "");
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
  const labels = widest(labelled.map(({ label }) => label));
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
 * A label for a program: a name, and after the count the ID that it stands for. The `raw` of a state
 * is the state in the service's words, so its text would say it twice.
 */
function withId(label: Cell, count: number): Cell[] {
  const isNamed = typeof label === "object" && label?.raw !== undefined && label.kind !== "state";
  return isNamed ? [label.text, count, label.raw] : [label, count];
}

/** The parts of a cell that end a bar, by eighths. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const FULL = "█";
/** The widest bar: a longer one is not easier to compare. */
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
  const most = widest([...labels.map(({ text }) => text), rest.length > 0 ? more : ""]);
  const limit = Number.isFinite(width) ? Math.floor(width * LABEL_SHARE) : most;
  const labelWidth = Math.min(most, limit, MAX_LABEL);
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

type Topic = RoutingPicture["topics"][number];

/**
 * Draws events on the left, which flow into a topic, and its destinations on the right. If the
 * names do not fit side by side, an indented tree is drawn instead.
 */
export function* renderRoutingPicture(
  picture: RoutingPicture,
  options: RenderOptions,
): Generator<string> {
  const topics = picture.topics.map(sanitizedTopic);
  const columns = columnWidths(topics);
  const draw = pictureWidth(columns) <= options.width ? drawTopic : drawTopicTree;
  for (const [index, topic] of topics.entries()) {
    if (index > 0) yield "";
    yield* draw(topic, options, columns);
  }
}

function sanitizedTopic({ name, note, events, destinations }: Topic): Topic {
  const noted = (text: string | undefined) => (text ? { note: sanitizeLine(text) } : {});
  return {
    name: sanitizeLine(name),
    ...noted(note),
    events: events.map(sanitizeLine),
    destinations: destinations.map((to) => ({ name: sanitizeLine(to.name), ...noted(to.note) })),
  };
}

type ColumnWidths = ReturnType<typeof columnWidths>;

const INDENT = "  ";
/** The width of the strokes between two columns: a space, `─┼─`, a space. */
const BRANCH = 5;
const BLANK: Piece = { text: "" };
const NO_EVENTS = "(no events)";
const NO_DESTINATION = "(no destination)";
/** The width to which a note may widen the column of its topic. */
const TOPIC_NOTE = 16;
const UP = 1;
const DOWN = 2;
const LEFT = 4;
const RIGHT = 8;
/** The character for each sum of directions. */
const JOINTS = " ╵╷│╴┘┐┤╶└┌├─┴┬┼";

/** The column widths that all topics share, so that their pictures are aligned. */
function columnWidths(topics: readonly Topic[]) {
  return {
    events: widest(topics.flatMap(({ events }) => (events.length > 0 ? events : [NO_EVENTS]))),
    topics: widest(topics.flatMap(({ name, note = "" }) => [name, truncate(note, TOPIC_NOTE)])),
    destinations: widest(
      topics.flatMap(({ destinations: to }) =>
        to.length > 0 ? to.map(({ name }) => name) : [NO_DESTINATION],
      ),
    ),
  };
}

/** The width of a picture with all its names; notes are cut to what is left. */
function pictureWidth({ events, topics, destinations }: ColumnWidths): number {
  return INDENT.length + events + topics + destinations + 2 * BRANCH;
}

/** A topic with its events on the left and its destinations on the right, joined by lines. */
function drawTopic(topic: Topic, { width, paint }: RenderOptions, columns: ColumnWidths): string[] {
  const room = width - pictureWidth({ ...columns, destinations: 0 });
  const events = topic.events.map((name): [Piece] => [{ text: name }]);
  const into = side(events, NO_EVENTS);
  const out = side(
    topic.destinations.map(({ name, note }) => [
      { text: name, tone: "strong" },
      ...(note ? [{ text: truncate(note, room), tone: "dim" } as const] : []),
    ]),
    NO_DESTINATION,
  );
  const lines: string[] = [];
  const last = Math.max(into.last, out.last, topic.note ? 1 : 0);
  for (let row = Math.min(into.first, out.first); row <= last; row += 1) {
    const note = row === 1 ? truncate(topic.note ?? "", columns.topics) : "";
    const middle: Piece =
      row === 0 ? { text: topic.name, tone: "strong" } : { text: note, tone: "dim" };
    lines.push(
      paintLine(
        [
          { text: INDENT },
          ...arm(into.line(row) ?? BLANK, columns.events, into.joins(row) ? into.stroke : " "),
          joint(into, row, { name: LEFT, topic: RIGHT }),
          { text: row === 0 ? `${into.stroke} ` : "  ", tone: "dim" },
          ...arm(middle, columns.topics, row === 0 ? out.stroke : " "),
          joint(out, row, { name: RIGHT, topic: LEFT }),
          { text: out.joins(row) ? `${out.stroke} ` : "  ", tone: "dim" },
          out.line(row) ?? BLANK,
        ],
        paint,
      ),
    );
  }
  return lines;
}

/** One side of a topic. Offsets count from the line of the topic itself. */
type Side = ReturnType<typeof side>;

function side(entries: readonly (readonly [Piece, ...Piece[]])[], whenEmpty: string) {
  const isEmpty = entries.length === 0;
  const lines = isEmpty ? [{ text: whenEmpty, tone: "attention" } as const] : entries.flat();
  const starts = lines.flatMap(({ tone }, at) => (tone === "dim" ? [] : [at]));
  // The topic is drawn beside the name in the middle.
  const hub = starts[Math.floor((starts.length - 1) / 2)] ?? 0;
  const names = new Set(starts);
  return {
    line: (offset: number): Piece | undefined => lines[offset + hub],
    /** Whether the line has a name, which gets a stroke, and not a note. */
    joins: (offset: number) => names.has(offset + hub),
    first: -hub,
    last: lines.length - 1 - hub,
    /** The offset of the last name; a note may follow it. */
    lastName: (starts.at(-1) ?? 0) - hub,
    /** The stroke of the side; a dotted one has no names, so nothing flows there. */
    stroke: isEmpty ? "·" : "─",
  };
}

function arm(piece: Piece, width: number, stroke: string): Piece[] {
  const line = ` ${stroke.repeat(width - displayWidth(piece.text) + 1)}`;
  return [piece, { text: line, tone: "dim" }];
}

function joint(at: Side, row: number, direction: { name: number; topic: number }): Piece {
  if (at.stroke === "·") return { text: row === 0 ? "·" : " ", tone: "dim" };
  const directions =
    (row > at.first && row <= at.lastName ? UP : 0) +
    (row >= at.first && row < at.lastName ? DOWN : 0) +
    (at.joins(row) ? direction.name : 0) +
    (row === 0 ? direction.topic : 0);
  return { text: JOINTS[directions] ?? " ", tone: "dim" };
}

/** A topic with its events (←) and destinations (→) below it, for narrow terminals. */
function drawTopicTree(topic: Topic, { width, paint }: RenderOptions): string[] {
  const lines: string[] = [];
  const add = (before: string, text: string | undefined, tone?: Piece["tone"]) => {
    if (!text) return;
    const shown = truncate(text, Math.max(1, width - before.length));
    lines.push(paintLine([{ text: before }, { text: shown, ...(tone && { tone }) }], paint));
  };
  add("  ", topic.name, "strong");
  add("  ", topic.note, "dim");
  for (const event of topic.events) add("    ← ", event);
  if (topic.events.length === 0) add("    ← ", NO_EVENTS, "attention");
  for (const { name, note } of topic.destinations) {
    add("    → ", name, "strong");
    add("      ", note, "dim");
  }
  if (topic.destinations.length === 0) add("    → ", NO_DESTINATION, "attention");
  return lines;
}

interface Piece {
  readonly text: string;
  readonly tone?: PaintTone;
}

/** A line of pieces. Blank pieces are not painted, and blanks at the end are left out. */
function paintLine(pieces: readonly Piece[], paint: Paint): string {
  const last = pieces.findLastIndex(({ text }) => text.trim() !== "");
  return pieces
    .slice(0, last + 1)
    .map(({ text, tone }, at) => {
      const kept = at === last ? text.trimEnd() : text;
      return tone && kept.trim() !== "" ? paint(tone, kept) : kept;
    })
    .join("");
}
