import { safeJson } from "../values/safe-data.ts";
import { visibleEscape, withoutCommands } from "../values/visible.ts";

/**
 * The characters that need a closer look; almost every string has none and is returned unchanged.
 */
const SUSPECT = /[^\x20-\x7e]|::|##/u;

/** Invisible and control characters, and emoji that are newer than this ICU. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A ZWJ between two pictographs, and one variation selector behind a character that has a shape. */
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
