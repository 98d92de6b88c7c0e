import { isJsonObject } from "../values/json.ts";
import { jsonText, sanitizeLine } from "./text.ts";

/**
 * The beginning of every name. The names below it come from the service too: without it a field
 * could be called PATH, NODE_OPTIONS or AMP_BASE_URL, and set what a later step runs or trusts.
 */
const PREFIX = "RESULT";

/**
 * A result as `NAME=value`, one line for each value, for `$GITHUB_OUTPUT` and the dotenv reports of
 * GitLab. Fields of objects and items of lists are joined to the name: `RESULT_COUNTS_CREATE`.
 */
export function envText(result: unknown): string {
  const lines: string[] = [];
  const taken = new Map<string, number>();
  for (const [name, value] of entriesOf(PREFIX, result)) {
    lines.push(`${freeName(name, taken)}=${value}\n`);
  }
  return lines.join("");
}

/** The levels that become a part of the name; what lies deeper is one value, as JSON. */
const MAX_LEVELS = 20;

function* entriesOf(name: string, value: unknown, level = 0): Generator<readonly [string, string]> {
  if (isCommand(value) || level > MAX_LEVELS) {
    yield [name, valueText(isCommand(value) ? value.toJSON() : jsonText(value))];
  } else if (Array.isArray(value)) {
    yield [`${name}_COUNT`, String(value.length)];
    const keys = itemKeys(value);
    for (const [at, item] of value.entries()) {
      yield* entriesOf(`${name}_${keys[at]}`, item, level + 1);
    }
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      yield* entriesOf(`${name}_${nameOf(key)}`, inner, level + 1);
    }
  } else {
    yield [name, valueText(value)];
  }
}

/** A suggested command, which is its line in every format of data. */
function isCommand(value: unknown): value is { toJSON(): string } {
  return isJsonObject(value) && typeof value.toJSON === "function";
}

/**
 * The part of a name for each item of a list: its address, name or ID where all have one and no two
 * are alike, so that a name stays when the order changes; otherwise its number, from 1.
 */
function itemKeys(items: readonly unknown[]): readonly string[] {
  for (const field of ["address", "name", "id"]) {
    const keys = items.map((item) => {
      const key = isJsonObject(item) ? item[field] : undefined;
      return typeof key === "string" ? nameOf(key) : "";
    });
    if (!keys.includes("") && new Set(keys).size === keys.length) return keys;
  }
  return items.map((_, at) => String(at + 1));
}

/** `baseUrl` and `base-url` as `BASE_URL`; what is neither a letter nor a digit separates words. */
function nameOf(key: string): string {
  return key
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2")
    .toUpperCase()
    .replaceAll(/[^A-Z\d]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "");
}

/** Two fields may differ only in what a name cannot hold: the second one gets a number. */
function freeName(name: string, taken: Map<string, number>): string {
  for (let nth = (taken.get(name) ?? 0) + 1; ; nth += 1) {
    const free = nth === 1 ? name : `${name}_${nth}`;
    taken.set(name, nth);
    if (nth === 1 || !taken.has(free)) {
      taken.set(free, taken.get(free) ?? 1);
      return free;
    }
  }
}

/**
 * A value on one line. A text that is not plain (line ends, invisible characters, commands of CI
 * systems, quotes or blanks at an end, which readers strip) is written as its JSON string, and so
 * is one that could be taken for such a string.
 */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return jsonText(value);
  const isPlain = sanitizeLine(value) === value && !/^["'`\s]|["'`\s]$/u.test(value);
  return isPlain ? value : jsonText(value);
}
