import { UsageError } from "../errors.ts";

/**
 * Parses the text of a file of ours.
 * @throws {UsageError} with path, line and column. The engine's own message is never shown: it
 *   quotes the text around the fault, which may be a secret, and often lacks the place.
 */
export function parseJsonText(text: string, path: string): unknown {
  // Editors on Windows like to begin a file with a byte order mark.
  const source = text.replace(/^\uFEFF/u, "");
  try {
    return JSON.parse(source);
  } catch {
    const before = source.slice(0, faultIn(source) ?? 0);
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    throw new UsageError(`${path} is no valid JSON at line ${line}, column ${column}`, {
      done: "The file was left as it is.",
      remedy: "Mend it, or set it aside with: amp auth login --reset",
    });
  }
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\["\\/bfnrt]|\\u[\dA-Fa-f]{4})*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const END = /$/y;
/** No file of ours is nested like that, and the stack has an end. */
const DEEPEST = 500;

/**
 * Finds where a text stops being JSON.
 * @returns the offset of what cannot stand there, or is nested absurdly; undefined for valid JSON
 */
export function faultIn(text: string): number | undefined {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  const token = (pattern: RegExp) => take(SPACE) && take(pattern);
  const list = (item: () => boolean, close: RegExp): boolean => {
    if (token(close)) return true;
    do {
      if (!item()) return false;
    } while (token(/,/y));
    return token(close);
  };
  const member = () => token(STRING) && token(/:/y) && value();
  let depth = 0;
  const within = (item: () => boolean, close: RegExp): boolean => {
    depth += 1;
    const whole = depth <= DEEPEST && list(item, close);
    depth -= 1;
    return whole;
  };
  const value = (): boolean => {
    if (token(/\{/y)) return within(member, /\}/y);
    if (token(/\[/y)) return within(value, /\]/y);
    return token(STRING) || token(NUMBER) || token(WORD);
  };
  return value() && token(END) ? undefined : at;
}
