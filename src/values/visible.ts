import { redactSecrets } from "../secrets/secret.ts";

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
