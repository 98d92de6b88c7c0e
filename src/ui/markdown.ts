import { asList } from "../values/basics.ts";
import { type Block, type Cell, type Page, type RecordView, routingEdges } from "../view/view.ts";
import { pipeText } from "./cell.ts";
import type { Writer } from "./formats.ts";
import { columnsOf, pageOf, rowsOf, type WriterOptions } from "./rows.ts";
import { sanitize, sanitizeLine } from "./text.ts";

/**
 * Writes a result as GitHub-flavoured Markdown, for a job summary or a ticket: a list as a table, a
 * page as headings and tables, a text as code. Whatever the service sent is text there and nothing
 * else: no HTML, image, link, mention or reference.
 */
export function markdownWriter(options: WriterOptions): Writer {
  const { view } = options;
  const columns = columnsOf(options);
  if (columns) {
    let head = [...tableHead(columns.map(({ label }) => label))];
    const empty = view?.kind === "table" ? [`No ${prose(view.noun[1])}.\n`] : [];
    return {
      *items(batch) {
        for (const row of rowsOf(batch, options, columns)) {
          yield* head;
          head = [];
          yield tableRow(row);
        }
      },
      end: () => (head.length > 0 ? empty : []),
    };
  }
  return {
    *items([item]) {
      if (view?.kind === "record")
        yield* pageMarkdown(ticketPage(view as RecordView<unknown>, item));
      else if (view?.kind === "text") yield fenced(view.text(item).split("\n"));
    },
  };
}

function ticketPage(view: RecordView<unknown>, item: unknown): Page {
  const page = pageOf(view, item);
  return view.ticketPage ? view.ticketPage(page, item) : page;
}

function* pageMarkdown({ title, aside, blocks }: Page): Generator<string> {
  yield `### ${prose(pipeText(title))}\n`;
  if (aside) yield `\n${prose(aside)}\n`;
  for (const block of blocks) {
    const lines = [...blockMarkdown(block)];
    if (lines.length === 0) continue;
    const heading = "heading" in block && block.heading ? `\n#### ${prose(block.heading)}\n` : "";
    yield `${heading}\n${lines.join("")}`;
  }
}

type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

const BLOCKS: { readonly [Kind in Block["kind"]]: (block: BlockOf<Kind>) => Iterable<string> } = {
  rows: ({ rows }) =>
    tableOf(
      ["Field", "Value"],
      rows.map(([label, value]) => [label, ...joinedCells(asList(value))]),
    ),
  grid: ({ columns, rows }) => tableOf(columns, rows),
  bars: ({ heading, bars }) =>
    tableOf(
      [heading, "Count"],
      bars.map(({ label, count }) => [label, count]),
    ),
  routing: ({ picture }) => tableOf(["Kind", "From", "To"], routingEdges(picture)),
  command: ({ lines }) =>
    lines.length === 0
      ? []
      : [fenced(lines.map((line) => (typeof line === "string" ? line : line.line())))],
  text: ({ text, onTerminal }) =>
    text === "" || onTerminal
      ? []
      : [`${text.split("\n").map(prose).filter(Boolean).join("  \n")}\n`],
};

function blockMarkdown(block: Block): Iterable<string> {
  return (BLOCKS[block.kind] as (block: Block) => Iterable<string>)(block);
}

/** The values of a row in one cell, each on its own line; none for a row without values. */
function joinedCells(cells: readonly Cell[]): readonly Written[] {
  const texts = cells.map(cellText).filter((text) => text !== "");
  return [new Written(texts.join("<br>"))];
}

/** A cell that is Markdown already. */
class Written {
  readonly markdown: string;
  constructor(markdown: string) {
    this.markdown = markdown;
  }
}

function* tableOf(
  labels: readonly string[],
  rows: readonly (readonly (Cell | Written)[])[],
): Generator<string> {
  if (rows.length === 0) return;
  yield* tableHead(labels);
  for (const row of rows) yield tableRow(row);
}

function* tableHead(labels: readonly string[]): Generator<string> {
  yield tableRow(labels);
  yield `|${labels.map(() => " --- |").join("")}\n`;
}

function tableRow(cells: readonly (Cell | Written)[]): string {
  const texts = cells.map((cell) => (cell instanceof Written ? cell.markdown : cellText(cell)));
  return `|${texts.map((text) => ` ${text} |`).join("")}\n`;
}

/** A cell: times as RFC 3339, and whatever could be more than text as code. */
function cellText(cell: Cell): string {
  const text = sanitizeLine(pipeText(cell));
  if (isPlain(text)) return text;
  // In a sentence, only the words are code that could be more; many such words are one code.
  const words = text.split(" ");
  const odd = words.filter((word) => !isPlain(word));
  return odd.length * 4 <= words.length ? prose(text) : code(text);
}

/** A line of text whose words are code where they could be more than text. */
function prose(text: string): string {
  const [first = "", ...others] = sanitizeLine(text).trim().split(/ +/u);
  // At the start of a line, more characters have a meaning: lists, rules, quick actions.
  const isStart = first === "" || /^[\p{L}(]|^\d+$/u.test(first);
  const words = [isStart && isPlain(first) ? first : code(first)];
  return [...words, ...others.map((word) => (isPlain(word) ? word : codeWord(word)))].join(" ");
}

/** A word as code, without the punctuation of its sentence. */
function codeWord(word: string): string {
  const [, name = word, end = ""] = /^(.+?)([,.:;]*)$/u.exec(word) ?? [];
  return code(name) + end;
}

/** The texts that Markdown links by itself: addresses, commits, `GH-12`, `%milestone`. */
const REFERENCE = /\/\/|www\.|\b[\da-f]{7,40}\b|\bGH-\d|%[\p{L}\d]/iu;

/** Whether a text has only letters, digits and punctuation without a meaning, and no reference. */
function isPlain(text: string): boolean {
  return /^[\p{L}\p{M}\p{N} .,:;?()'"/=+%…–—·✓✗-]*$/u.test(text) && !REFERENCE.test(text);
}

/**
 * A code span, in which nothing is Markdown or a mention. A backtick would end it and a bar the
 * cell of the table; HTML can name both by their numbers.
 */
function code(text: string): string {
  if (!/[`|\\]/u.test(text)) return `\`${text}\``;
  const named = text.replaceAll(
    /[^\p{L}\p{N} ]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );
  return `<code>${named}</code>`;
}

/** A block of code, whose fence is longer than any row of backticks in it. */
function fenced(lines: readonly string[]): string {
  const text = sanitize(lines.join("\n")).replace(/\n+$/u, "");
  if (text === "") return "";
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((row) => row.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}\n`;
}
