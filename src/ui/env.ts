import { firstNames, sizeText } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { isJsonObject } from "../values/json.ts";
import type { Writer } from "./formats.ts";
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
export function envText(result: unknown, warn: (text: string) => void = () => {}): string {
  const lines: string[] = [];
  const taken = new Map<string, number>();
  const alike: string[] = [];
  for (const [name, value] of entriesOf(PREFIX, result, alike)) {
    lines.push(`${freeName(name, taken)}=${value}\n`);
  }
  if (alike.length > 0) {
    const names = firstNames([...new Set(alike)]);
    warn(`-o env: numbered, because a variable cannot tell them apart: ${names}`);
  }
  return lines.join("");
}

/**
 * The bytes of a value of a list: a variable of a job or an argument of a program holds no more.
 */
const MAX_VALUE = 64 * 1024;

/**
 * A list as `RESULT_COUNT`, and for each field one line with the JSON array of its values: one for
 * each item, in the order of the list, `null` where it has no such field. Written at the end, so
 * that a list that fails or is too long writes nothing.
 * @param data the fields of an item
 */
export function envListWriter(data: (item: unknown) => unknown): Writer {
  const columns = new Map<string, { readonly texts: string[]; size: number }>();
  let count = 0;
  return {
    items(batch) {
      for (const item of batch) {
        const fields = data(item);
        for (const [key, value] of isJsonObject(fields) ? Object.entries(fields) : []) {
          const column = columns.get(key) ?? { texts: [], size: 0 };
          columns.set(key, column);
          const text = jsonText(value ?? null);
          column.texts[count] = text;
          column.size += Buffer.byteLength(text) + 1;
          if (column.size > MAX_VALUE)
            throw inputErrors.env_value_too_large(key, sizeText(MAX_VALUE));
        }
        count += 1;
      }
      return [];
    },
    *end() {
      const name = `${PREFIX}_COUNT`;
      const taken = new Map([[name, 1]]);
      const lines = [`${name}=${count}\n`];
      for (const [key, { texts }] of columns) {
        const value = `[${Array.from({ length: count }, (_, at) => texts[at] ?? "null").join(",")}]`;
        if (Buffer.byteLength(value) > MAX_VALUE)
          throw inputErrors.env_value_too_large(key, sizeText(MAX_VALUE));
        lines.push(`${freeName(`${PREFIX}_${nameOf(key)}`, taken)}=${value}\n`);
      }
      yield* lines;
    },
  };
}

/** The levels that become a part of the name; what lies deeper is one value, as JSON. */
const MAX_LEVELS = 20;

/** @param alike takes the names of items that are numbered */
function* entriesOf(
  name: string,
  value: unknown,
  alike: string[],
  level = 0,
): Generator<readonly [string, string]> {
  if (isCommand(value) || level > MAX_LEVELS) {
    yield [name, valueText(isCommand(value) ? value.toJSON() : jsonText(value))];
  } else if (Array.isArray(value)) {
    yield [`${name}_COUNT`, String(value.length)];
    const keys = itemKeys(value, alike);
    for (const [at, item] of value.entries()) {
      yield* entriesOf(`${name}_${keys[at]}`, item, alike, level + 1);
    }
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      yield* entriesOf(`${name}_${nameOf(key)}`, inner, alike, level + 1);
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
 * are equal, so that a name stays when the order changes; otherwise its number, from 1. Of those
 * that differ only in what a name cannot hold, each has its number.
 */
function itemKeys(items: readonly unknown[], alike: string[]): readonly string[] {
  for (const field of ["address", "name", "id"]) {
    const texts = items.map((item) => {
      const text = isJsonObject(item) ? item[field] : undefined;
      return typeof text === "string" ? text : "";
    });
    const names = texts.map(nameOf);
    if (names.includes("") || new Set(texts).size < texts.length) continue;
    const sharing = Map.groupBy(names.keys(), (at) => names[at]);
    const isShared = (name: string) => (sharing.get(name)?.length ?? 0) > 1;
    const keys = names.map((name, at) => (isShared(name) ? String(at + 1) : name));
    // A name may be a number itself.
    if (new Set(keys).size < keys.length) continue;
    alike.push(...texts.filter((_, at) => isShared(names[at] ?? "")));
    return keys;
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
