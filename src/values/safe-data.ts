import { redactSecrets } from "../secrets/secret.ts";

/**
 * Data as text that no terminal or CI log interprets, whatever strings are in it. The escapes are
 * those of the format, so it reads back as the same data.
 */

/**
 * The characters that JSON and YAML would not escape, but a terminal or a CI log would interpret or
 * hide. ZWJ, ZWNJ and variation selectors may stay: they belong to emoji and to the spelling of
 * several languages. Some invisible characters have no category of format, U+E0000 among them.
 */
const UNSAFE =
  /[\x7f-\x9f\u2028\u2029]|\p{Cs}|(?![\u200c\u200d]|\p{Variation_Selector})[\p{Cf}\p{Default_Ignorable_Code_Point}]|#(?=#(?:vso)?\[)/giu;

/** A quick test that few texts pass: only such a text may have one of these characters. */
const SUSPECT = /[^\n\x20-\x7e]|##/u;

const LINE_OF_COMMAND = /^\s*::/mu;

/** Spaces in a blank line at the beginning, which a block scalar of the package `yaml` loses. */
const LEADING_BLANKS = /^\n*[ \t]+(?:\n|$)/u;

/** Escapes the text of valid JSON, in which such characters occur only within strings. */
export function safeJson(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(UNSAFE, (character) => {
    const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16));
    return units.map((unit) => `\\u${unit.padStart(4, "0")}`).join("");
  });
}

/**
 * Whether a YAML string needs double quotes: to be escaped by {@link safeYaml}, or to stay whole.
 */
export function needsYamlQuotes(text: string): boolean {
  return text.search(UNSAFE) >= 0 || LINE_OF_COMMAND.test(text) || LEADING_BLANKS.test(text);
}

/** The options of YAML by which no line of a double-quoted string begins with a CI command. */
export const SAFE_YAML = {
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
} as const;

/** Escapes the text of YAML whose strings are quoted by {@link needsYamlQuotes}. */
export function safeYaml(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Invisible characters, and those that break drawings; ZWJ and ZWNJ belong to spellings. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\u2028\u2029]/gu;

/**
 * Commands to the log readers of CI systems. `::` counts at the start of a line after optional
 * spaces, and wrapping may put any word there; `##[` and `##vso[` count anywhere in a line.
 */
const CI_COMMAND = /(?<=^|\s):(?=:)|#(?=#(?:vso)?\[)/gimu;

/** A text without secrets, its invisible characters as visible escapes such as `\u{1b}`. */
export function visible(text: string): string {
  return redactSecrets(text).replace(UNSEEN, visibleEscape);
}

/** A text in which the commands of CI systems are broken by a visible escape. */
export function withoutCommands(text: string): string {
  return text.replace(CI_COMMAND, visibleEscape);
}

/** The escape by which a character is shown: `\u{1b}`. */
export function visibleEscape(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
