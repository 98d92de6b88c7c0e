/** Text for a screen reader: read from top to bottom, without columns, marks and pictures. */

import { asList } from "../values/basics.ts";
import { capitalised, numberText } from "../values/counted.ts";
import { type Block, type Cell, cellText, type Page, type RoutingPicture } from "../view/view.ts";
import { terminalCell } from "./cell.ts";
import type { Paint } from "./paint.ts";
import { sanitize, sanitizeLine } from "./text.ts";

interface SpeakOptions {
  readonly paint: Paint;
  readonly now: Date;
  /** Whether progress was said before. */
  readonly progressShown?: boolean;
}

/** The words of a mark that begins a row or a heading. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ["+", "create"],
  ["~", "update"],
  ["-", "delete"],
  ["=", "keep"],
  ["!", "problem"],
  ["?", "unknown"],
  ["–", "not run"],
]);
/** The cells that begin a row without headings: a mark, a kind and a name. */
const SENTENCE_CELLS = 3;
/** The same marks in the label of a comparison. */
const COMPARED: ReadonlyMap<string, string> = new Map([
  ["+", "added"],
  ["~", "changed"],
  ["-", "removed"],
]);

/** Replaces signs that a screen reader spells or leaves out by words. */
export function spokenText(text: string): string {
  return text
    .replaceAll("\u00a0", " ")
    .replaceAll(" · ", ", ")
    .replaceAll(/(^| )→ /gu, "$1to ")
    .replaceAll("✓", "ok")
    .replaceAll("✗", "failed");
}

function spokenHeading(text: string): string {
  const [mark = "", ...rest] = text.split(" ");
  return spokenText([MARKS.get(mark) ?? mark, ...rest].join(" "));
}

function spokenLabel(text: string): string {
  const [mark = "", ...rest] = text.split(" ");
  const word = COMPARED.get(mark);
  return spokenText(word === undefined ? text : [...rest, word].join(" "));
}

function spokenCell(cell: Cell, { paint, now }: SpeakOptions): string {
  const { text, tone } = terminalCell(cell, now);
  const said = spokenText(text);
  return tone && said !== "" ? paint(tone, said) : said;
}

/** A cell that is nothing but a mark, as its word. */
function spokenSign(cell: Cell): Cell {
  const word = MARKS.get(cellText(cell));
  return word === undefined ? cell : { ...(typeof cell === "object" && cell), text: word };
}

/** The cells of a row as one line. */
export function spokenRow(cells: readonly Cell[], now: Date): string {
  const options = { paint: (_tone: unknown, text: string) => text, now };
  return cells
    .map((cell) => spokenCell(cell, options))
    .filter(Boolean)
    .join(", ");
}

/** The lines of one thing: a label and a value each, without what is empty. */
export function spokenRecord(
  labels: readonly string[],
  cells: readonly Cell[],
  options: SpeakOptions,
): string[] {
  return cells.flatMap((cell, at) => {
    const text = spokenCell(cell, options);
    const label = spokenLabel(sanitizeLine(labels[at] ?? ""));
    return text === "" ? [] : [label === "" ? text : `${label}: ${text}`];
  });
}

/** The lines of a page. */
export function* spokenPage(page: Page, options: SpeakOptions): Generator<string> {
  const { title, aside, blocks } = page;
  const said = spokenCell(title, options);
  if (said !== "") yield options.paint("title", said);
  if (aside) yield spokenText(sanitizeLine(aside));
  for (const block of blocks) {
    const lines = blockLines(block, options);
    if (lines.length === 0) continue;
    const isAdvice = block.kind === "command" && typeof block.lines[0] !== "string";
    const { heading: written = isAdvice ? "Next" : "" } = { heading: undefined, ...block };
    const heading = spokenHeading(sanitizeLine(written));
    yield "";
    if (heading !== "") {
      yield options.paint("heading", heading.endsWith(":") ? heading : `${heading}:`);
    }
    yield* lines;
  }
}

function blockLines(block: Block, options: SpeakOptions): readonly string[] {
  switch (block.kind) {
    case "rows":
      return block.rows.flatMap(([label, value]) => {
        const all = asList(value);
        const labels = all.map(() => label);
        return spokenRecord(labels, all, options);
      });
    case "grid":
      return gridLines(block, options);
    case "bars": {
      const shown = block.bars.slice(0, block.maxBars);
      const rest = block.bars.slice(shown.length);
      const left = rest.reduce((sum, { count }) => sum + count, 0);
      return [
        ...shown.map(({ label, count }) => `${spokenCell(label, options)}: ${numberText(count)}`),
        ...(rest.length === 0 ? [] : [`${rest.length} more: ${numberText(left)}`]),
      ];
    }
    case "routing":
      return block.picture.topics.flatMap(topicLines);
    case "command":
      return block.lines.map((line) => sanitizeLine(typeof line === "string" ? line : line.line()));
    default:
      return block.text === "" ? [] : spokenText(sanitize(block.text)).split("\n");
  }
}

function gridLines(
  { columns, rows: all, onTerminal, cards, wasProgress }: Extract<Block, { kind: "grid" }>,
  options: SpeakOptions,
): readonly string[] {
  if (wasProgress && options.progressShown) return [];
  const rows = (onTerminal ?? all).map(([first, ...others]) => [spokenSign(first), ...others]);
  if (cards || columns.length === 1) {
    return rows.flatMap(([first, ...others], at) => [
      ...(at > 0 && cards ? [""] : []),
      ...[first, ...others].map((cell) => spokenCell(cell, options)).filter(Boolean),
    ]);
  }
  if (columns.every((column) => column === "")) {
    // The mark, the kind and the name are the words of one sentence, and the rest is said about it.
    return rows.map((cells) => {
      const said = cells.map((cell) => spokenCell(cell, options));
      const sentence = said.splice(0, SENTENCE_CELLS).filter(Boolean).join(" ");
      return [sentence, ...said].filter(Boolean).join(", ");
    });
  }
  return rows.flatMap((cells, at) => [
    ...(at > 0 ? [""] : []),
    ...spokenRecord(columns, cells, options),
  ]);
}

/** What flows through a topic, in sentences. */
function topicLines({ name, note, events, destinations }: RoutingPicture["topics"][number]) {
  const noted = (text: string, more?: string) => {
    const [, sign = "", own = text] = /^([+?]) (.*)$/su.exec(text) ?? [];
    const notes = [{ "+": "new", "?": "unknown" }[sign], more].filter(Boolean).join(", ");
    return spokenText(sanitizeLine(notes === "" ? own : `${own} (${notes})`));
  };
  const topic = `topic ${noted(name, note === "topic" ? undefined : note)}`;
  return [
    ...(events.length > 0
      ? events.map((event) => `${noted(event)} goes to ${topic}.`)
      : [`No event goes to ${topic}.`]),
    ...(destinations.length > 0
      ? destinations.map(
          (to) => `${capitalised(topic)} goes to destination ${noted(to.name, to.note)}.`,
        )
      : [`${capitalised(topic)} goes to no destination.`]),
  ];
}
