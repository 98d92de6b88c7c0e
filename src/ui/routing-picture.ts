import type { RoutingPicture } from "../view/view.ts";
import type { Paint, PaintTone, RenderOptions } from "./paint.ts";
import { sanitize } from "./text.ts";
import { displayWidth, truncate } from "./width.ts";

type Topic = RoutingPicture["topics"][number];

/**
 * Events on the left flow into a topic, the topic into destinations on the right. Where the names do
 * not fit beside each other, an indented tree says the same.
 */
export function renderRoutingPicture(picture: RoutingPicture, options: RenderOptions): string[] {
  const topics = picture.topics.map(sanitizedTopic);
  const columns = routingColumns(topics);
  const draw = pictureWidth(columns) <= options.width ? drawTopic : drawTopicTree;
  return topics.flatMap((topic, index) => [
    ...(index > 0 ? [""] : []),
    ...draw(topic, options, columns),
  ]);
}

/** The arrows of the picture, from one name to the next. */
export function routingEdges({ topics }: RoutingPicture): (readonly [from: string, to: string])[] {
  return topics.flatMap(({ name, events, destinations }) => [
    ...events.map((event) => [event, name] as const),
    ...destinations.map((destination) => [name, destination.name] as const),
  ]);
}

function sanitizedTopic({ name, note, events, destinations }: Topic): Topic {
  const shown = (text: string) => sanitize(text, { inCell: true });
  const noted = (text: string | undefined) => (text ? { note: shown(text) } : {});
  return {
    name: shown(name),
    ...noted(note),
    events: events.map(shown),
    destinations: destinations.map((to) => ({ name: shown(to.name), ...noted(to.note) })),
  };
}

/** Widths of the three columns of names. */
export interface ColumnWidths {
  readonly events: number;
  readonly topics: number;
  readonly destinations: number;
}

/** What stands on one side of a topic, relative to the topic's own line: 0 is that line. */
interface Side {
  readonly line: (offset: number) => Piece | undefined;
  /** Whether a name stands there, and not a note: a line runs to it. */
  readonly joins: (offset: number) => boolean;
  readonly first: number;
  readonly last: number;
  /** Where the last name stands; a note may follow it. */
  readonly lastName: number;
  /** `·` where there is none, and nothing flows. */
  readonly stroke: "─" | "·";
}

const INDENT = "  ";
/** What joins two columns: a space, `─┼─`, a space. */
const BRANCH = 5;
const NO_EVENTS = "(no events)";
const NO_DESTINATION = "(no destination)";
/** A note may widen the column of its topic to this. */
const TOPIC_NOTE = 16;
const UP = 1;
const DOWN = 2;
const LEFT = 4;
const RIGHT = 8;
/** The character for each sum of directions. */
const JOINTS = " ╵╷│╴┘┐┤╶└┌├─┴┬┼";

/** The columns that all topics share, so that their pictures stand in line. */
export function routingColumns(topics: readonly Topic[]): ColumnWidths {
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
export function pictureWidth({ events, topics, destinations }: ColumnWidths): number {
  return INDENT.length + events + topics + destinations + 2 * BRANCH;
}

/** A topic with its events on the left and its destinations on the right, joined by lines. */
export function drawTopic(
  topic: Topic,
  { width, paint }: RenderOptions,
  columns: ColumnWidths,
): string[] {
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
          ...arm(into.line(row), columns.events, into.joins(row) ? into.stroke : " "),
          joint(into, row, { name: LEFT, topic: RIGHT }),
          { text: row === 0 ? `${into.stroke} ` : "  ", tone: "dim" },
          ...arm(middle, columns.topics, row === 0 ? out.stroke : " "),
          joint(out, row, { name: RIGHT, topic: LEFT }),
          { text: out.joins(row) ? `${out.stroke} ` : "  ", tone: "dim" },
          out.line(row) ?? { text: "" },
        ],
        paint,
      ),
    );
  }
  return lines;
}

function side(entries: readonly (readonly [Piece, ...Piece[]])[], whenEmpty: string): Side {
  const isEmpty = entries.length === 0;
  const lines = isEmpty ? [{ text: whenEmpty, tone: "attention" } as const] : entries.flat();
  const starts = lines.flatMap(({ tone }, at) => (tone === "dim" ? [] : [at]));
  // The topic stands beside the name in the middle.
  const hub = starts[Math.floor((starts.length - 1) / 2)] ?? 0;
  const names = new Set(starts);
  return {
    line: (offset) => lines[offset + hub],
    joins: (offset) => names.has(offset + hub),
    first: -hub,
    last: lines.length - 1 - hub,
    lastName: (starts.at(-1) ?? 0) - hub,
    stroke: isEmpty ? "·" : "─",
  };
}

/** A name, and the line from it up to the joint. */
function arm(piece: Piece | undefined, width: number, stroke: string): Piece[] {
  const { text, tone } = piece ?? { text: "" };
  const line = ` ${stroke.repeat(width - displayWidth(text) + 1)}`;
  return [
    { text, ...(tone && { tone }) },
    { text: line, tone: "dim" },
  ];
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

/** A topic and, below it, what flows in (←) and out (→): for widths at which no picture fits. */
export function drawTopicTree(topic: Topic, { width, paint }: RenderOptions): string[] {
  const lines: string[] = [];
  const add = (before: string, text: string | undefined, tone?: Piece["tone"]) => {
    if (!text) return;
    const shown = truncate(text, Math.max(1, width - before.length));
    lines.push(paintLine([{ text: before }, { text: shown, ...(tone && { tone }) }], paint));
  };
  add("  ", topic.name, "strong");
  add("  ", topic.note, "dim");
  for (const event of topic.events) add("    ← ", event);
  if (topic.events.length === 0) add("    ← ", "(no events)", "attention");
  for (const { name, note } of topic.destinations) {
    add("    → ", name, "strong");
    add("      ", note, "dim");
  }
  if (topic.destinations.length === 0) add("    → ", "(no destination)", "attention");
  return lines;
}

/** A part of a line with its colour. */
export interface Piece {
  readonly text: string;
  readonly tone?: PaintTone;
}

/** The line; blank pieces are not painted, and no blanks stand at the end. */
export function paintLine(pieces: readonly Piece[], paint: Paint): string {
  const last = pieces.findLastIndex(({ text }) => text.trim() !== "");
  return pieces
    .slice(0, last + 1)
    .map(({ text, tone }, at) => {
      const kept = at === last ? text.trimEnd() : text;
      return tone && kept.trim() !== "" ? paint(tone, kept) : kept;
    })
    .join("");
}
