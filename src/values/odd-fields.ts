import { isJsonObject } from "./json.ts";

/** A field whose value is not of the specified type. */
export interface OddField {
  /** The ID or name of the record, or its place in the list. */
  readonly record: string;
  /** The dotted path; empty for the record itself. */
  readonly path: string;
  /** The problem, for example "expected string, received number". */
  readonly problem: string;
  /** The value as it came, redacted. */
  readonly value: unknown;
}

interface Original {
  readonly value: unknown;
  /** Finds the odd fields. */
  readonly odd: () => readonly OddField[];
}

/**
 * The key under which a copy, in which each field has the specified type, has the record as it
 * came. Views and domains use the copy; data formats write the original. A WeakMap would keep both
 * until the next full collection, which makes each quick one slow: a list of 200,000 odd records
 * took twice the time.
 */
const ORIGINAL = Symbol("original");
let isAnyOdd = false;

function storedOriginal(copy: object): Original | undefined {
  return (copy as { readonly [ORIGINAL]?: Original })[ORIGINAL];
}

/** Stores the record that a corrected copy was made from. */
export function rememberOriginal(copy: object, original: Original): void {
  isAnyOdd = true;
  if (asked?.record === copy) asked = undefined;
  // Not enumerable: a spread makes a record of its own, and JSON has no such field.
  Object.defineProperty(copy, ORIGINAL, { value: original, configurable: true });
}

/**
 * The record that was asked for last: each cell of a row may ask, and its record is checked anew.
 */
let asked: { readonly record: object; readonly odd: readonly OddField[] } | undefined;

/** The fields of a record that are not as specified. */
export function oddFieldsOf(record: unknown): readonly OddField[] {
  if (!isAnyOdd || !isObject(record)) return [];
  if (asked?.record !== record) asked = { record, odd: storedOriginal(record)?.odd() ?? [] };
  return asked.odd;
}

/** A value as the service sent it, at every depth; the same object if nothing was odd. */
export function originalOf(value: unknown): unknown {
  if (!isAnyOdd || !isObject(value)) return value;
  const original = storedOriginal(value);
  if (original) return original.value;
  const entries = Object.entries(value);
  const sent = entries.map(([key, item]): [string, unknown] => [key, originalOf(item)]);
  if (sent.every(([, item], at) => item === entries[at]?.[1])) return value;
  return Array.isArray(value) ? sent.map(([, item]) => item) : Object.fromEntries(sent);
}

/** Changes what the views show of a record; data formats still write what the service sent. */
export function changeDisplayCopy<Record extends object>(
  record: Record,
  change: (record: Record) => Record,
): Record {
  const shown = change(record);
  rememberOriginal(shown, storedOriginal(record) ?? { value: record, odd: () => [] });
  return shown;
}

/** Changes a record, and its original in the same way. */
export function changeCopyAndOriginal<Record extends object>(
  record: Record,
  change: (record: Record) => Record,
): Record {
  const changed = change(record);
  const original = storedOriginal(record);
  if (original === undefined) return changed;
  const value = isObject(original.value) ? change(original.value as Record) : original.value;
  const copy = changed === record ? { ...changed } : changed;
  rememberOriginal(copy, { ...original, value });
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The odd fields of all answers of a run, reported in one line. */
export interface OddFieldTally {
  add(fields: readonly OddField[]): void;
  /** "2 fields are not as specified: ins_2000 updateTime: expected string, received number; …". */
  notice(): string | undefined;
}

/** The number of fields that the line names. */
const NAMED = 3;
/**
 * The limit of remembered records. A run may list the same ones again; a list that is too long for
 * the memory is read once.
 */
const MAX_REMEMBERED = 10_000;

/** Creates an empty tally. */
export function createOddFieldTally(): OddFieldTally {
  const seen = new Set<string>();
  let first: string[] = [];
  let count = 0;
  const addOne = ({ record, path, problem }: OddField) => {
    const text = `${[record, path].filter(Boolean).join(" ")}: ${problem}`;
    if (seen.has(text)) return;
    if (seen.size < MAX_REMEMBERED) seen.add(text);
    count += 1;
    if (first.length < NAMED) first = [...first, text];
  };
  return {
    add: (fields) => {
      for (const field of fields) addOne(field);
    },
    notice() {
      if (count === 0) return undefined;
      const head = count === 1 ? "1 field is" : `${count} fields are`;
      const more = count - first.length;
      const named = more > 0 ? [...first, `and ${more} more`] : first;
      return `${head} not as specified: ${named.join("; ")}`;
    },
  };
}

/**
 * The project that a record belongs to, as it says; undefined where it does not, or not as text.
 */
export function statedProject(record: unknown): string | undefined {
  const id = isJsonObject(record) ? record.projectId : undefined;
  if (typeof id !== "string" || id === "") return undefined;
  const sent = originalOf(record);
  return isJsonObject(sent) && sent.projectId === id ? id : undefined;
}
