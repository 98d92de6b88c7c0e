import { redactSecrets } from "../secrets/secret.ts";

/** Invisible characters, and those that break drawings; ZWJ and ZWNJ belong to spellings. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\u2028\u2029]/gu;

/** A text without secrets, its invisible characters as visible escapes such as `\u{1b}`. */
export function visible(text: string): string {
  return redactSecrets(text).replace(
    UNSEEN,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
