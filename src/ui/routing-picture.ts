import type { RoutingPicture } from "../cli/view.ts";
import type { Look } from "./paint.ts";
import { type Piece, paintLine } from "./pieces.ts";
import { displayWidth, truncate } from "./width.ts";

type Topic = RoutingPicture["topics"][number];

/** Widths of the three columns of names. */
export interface Columns {
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
export function routingColumns(topics: readonly Topic[]): Columns {
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
export function pictureWidth({ events, topics, destinations }: Columns): number {
  return INDENT.length + events + topics + destinations + 2 * BRANCH;
}

/** A topic with its events on the left and its destinations on the right, joined by lines. */
export function drawTopic(topic: Topic, { width, paint }: Look, columns: Columns): string[] {
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
