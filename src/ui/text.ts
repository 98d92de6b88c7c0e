import { safeJson, visibleEscape, withoutCommands } from "../values/safe-data.ts";
import { loadStringWidth } from "./string-width.ts";

/**
 * The characters that need a closer look; almost every string has none and is returned unchanged.
 */
const SUSPECT = /[^\x20-\x7e]|::|##/u;

/** Invisible and control characters, and emoji that are newer than this ICU. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A ZWJ between two pictographs, and one variation selector behind a character that has a shape.
 */
const PART_OF_A_CHARACTER =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\u{FE0F}?)\u{200D}(?=\p{Extended_Pictographic})|(?<=[\p{L}\p{N}\p{P}\p{S}])\p{Variation_Selector}/uy;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Makes a foreign text safe to show: invisible characters, and those that a terminal or a CI log
 * would interpret, become visible escapes such as `\u{1b}`. Line ends and tabs stay. Colour and
 * truncation come later.
 */
export function sanitize(text: string): string {
  return SUSPECT.test(text) ? escapeUnsafe(text.replaceAll("\r\n", "\n"), /[\n\t]/u) : text;
}

/** Makes a foreign text safe to show on one line: tabs and line ends are escaped too. */
export function sanitizeLine(text: string): string {
  return SUSPECT.test(text) ? escapeUnsafe(text) : text;
}

function escapeUnsafe(text: string, allowed?: RegExp): string {
  const shown = text.replace(UNSEEN, (character, offset: number) => {
    if (allowed?.test(character)) return character;
    PART_OF_A_CHARACTER.lastIndex = offset;
    if (PART_OF_A_CHARACTER.test(text)) return character;
    return SHORT[character] ?? visibleEscape(character);
  });
  return withoutCommands(shown);
}

/** JSON that is safe in a terminal and a CI log; see {@link safeJson}. */
export function jsonText(value: unknown, indent?: number): string {
  return safeJson(JSON.stringify(value, undefined, indent) ?? "null");
}

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/u;
/**
 * Characters that may combine with others to one grapheme: all but Latin, Greek, Cyrillic,
 * punctuation, arrows, the lines and marks that amp draws, kana, Han and Hangul.
 */
const MAY_COMBINE =
  /[^\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03ff\u0400-\u0482\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2713\u2717\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]/u;
/** The first character of two cells among those that do not combine; all after it have two. */
const FIRST_WIDE = "\u3041";
const ELLIPSIS = "…";

let segmenter: Intl.Segmenter | undefined;
let stringWidth: ReturnType<typeof loadStringWidth> | undefined;

/** A cache: texts repeat the same few graphemes, and string-width takes 10 µs for each. */
const graphemeWidths = new Map<string, number>();
const GRAPHEMES_KEPT = 5_000;

/** The width of a sanitized text on a terminal, in cells. */
export function displayWidth(text: string): number {
  // Segmenting the million cells of a long list would take longer than downloading it.
  if (!NOT_PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  if (MAY_COMBINE.test(text)) {
    for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  } else {
    for (const character of text) width += character < FIRST_WIDE ? 1 : 2;
  }
  return width;
}

/** The width of the widest text. A list has more of them than a function may have arguments. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

/** Cuts a text to a width between graphemes, with `…` in place of the rest. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return "";
  const isAscii = !NOT_PRINTABLE_ASCII.test(text);
  const start = isAscii ? text.slice(0, width - 1) : firstCells(text, width - 1);
  return `${start.trimEnd()}${ELLIPSIS}`;
}

/** Fills a text up with spaces; a text that is too wide stays as it is. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/**
 * Breaks sanitized prose into lines by words. A line that fits keeps its spacing. A word that does
 * not fit is cut, unless it is a URL: the terminal may wrap that, so that it can be copied.
 */
export function wrap(text: string, width: number): string[] {
  // The width of a tab depends on its column.
  return text
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const indent = /^ */u.exec(line)?.[0] ?? "";
  const hanging = indent.length * 2 <= width ? indent : "";
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const word of words(line, width - hanging.length)) {
    const cells = displayWidth(word);
    if (current !== "" && hanging.length + used + 1 + cells > width) {
      lines.push(hanging + current);
      current = "";
    }
    used = current === "" ? cells : used + 1 + cells;
    current = current === "" ? word : `${current} ${word}`;
  }
  if (current !== "") lines.push(hanging + current);
  return lines;
}

function* words(line: string, width: number): Generator<string> {
  // A sign belongs to what follows it.
  for (const word of line.split(/(?<!(?:^| )\+) +/u)) {
    if (word === "") continue;
    if (displayWidth(word) <= width || word.includes("://")) yield word;
    else yield* pieces(word, width);
  }
}

function* pieces(word: string, width: number): Generator<string> {
  let piece = "";
  let used = 0;
  // A cut may put any part at the start of a line, where CI systems read `::` as a command.
  for (const { segment } of graphemes(word.replaceAll("::", ":\\u{3a}"))) {
    const cells = graphemeWidth(segment);
    if (piece !== "" && used + cells > width) {
      yield piece;
      piece = "";
      used = 0;
    }
    piece += segment;
    used += cells;
  }
  yield piece;
}

function firstCells(text: string, width: number): string {
  let end = 0;
  let used = 0;
  for (const { segment } of graphemes(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return text.slice(0, end);
}

function graphemeWidth(grapheme: string): number {
  const known = graphemeWidths.get(grapheme);
  if (known !== undefined) return known;
  if (graphemeWidths.size >= GRAPHEMES_KEPT) graphemeWidths.clear();
  stringWidth ??= loadStringWidth();
  const width = stringWidth(grapheme);
  graphemeWidths.set(grapheme, width);
  return width;
}

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
