import type { RoutingPicture } from "../view/view.ts";
import type { Paint, PaintTone, RenderOptions } from "./paint.ts";
import { displayWidth, sanitizeLine, truncate } from "./text.ts";

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
  const into = side(
    topic.events.map((name) => [{ text: name }]),
    NO_EVENTS,
  );
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

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth));
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
