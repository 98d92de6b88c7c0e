/**
 * Data as text that no terminal and no CI log obeys, whatever strings are in it. The escapes are those
 * of the format, so it reads back as the same data.
 */

/**
 * Characters that JSON and YAML would not escape, but a terminal or a CI log would obey or hide. ZWJ
 * and ZWNJ may stay: they belong to emoji and to the spelling of several languages.
 */
const UNSAFE = /[\x7f-\x9f\u2028\u2029]|\p{Cs}|(?![\u200c\u200d])\p{Cf}|#(?=#(?:vso)?\[)/giu;

const LINE_OF_COMMAND = /^\s*::/mu;

/** Escapes the text of valid JSON, in which such characters stand only within strings. */
export function safeJson(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16));
    return units.map((unit) => `\\u${unit.padStart(4, "0")}`).join("");
  });
}

/** Whether a string has to be in double quotes in YAML: only there {@link safeYaml} can escape it. */
export function needsYamlQuotes(text: string): boolean {
  return text.search(UNSAFE) >= 0 || LINE_OF_COMMAND.test(text);
}

/** How YAML is written, so that no line of a double-quoted string begins with a CI command. */
export const SAFE_YAML = {
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
} as const;

/** Escapes the text of YAML whose strings are quoted as {@link needsYamlQuotes} says. */
export function safeYaml(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
