/** A field whose value is not of the type that the specification says. */
export interface OddField {
  /** The record: its ID or name, else its place in the list. */
  readonly record: string;
  /** Dotted; empty for the record itself. */
  readonly path: string;
  /** For example "expected string, received number". */
  readonly problem: string;
  /** The value as it came, redacted. */
  readonly value: unknown;
}

interface Original {
  readonly value: unknown;
  readonly odd: readonly OddField[];
}

/**
 * Records that were not as specified, by the copy in which each field has the type that it should.
 * Views and domains use the copy; what amp writes as data is the original.
 */
const originals = new WeakMap<object, Original>();
let isAnyOdd = false;

/** Remembers the record that a copy with proper types was made from. */
export function rememberOriginal(copy: object, original: Original): void {
  isAnyOdd = true;
  originals.set(copy, original);
}

/** The fields of a record that are not as specified. */
export function oddFieldsOf(record: unknown): readonly OddField[] {
  return (isObject(record) && originals.get(record)?.odd) || [];
}

/** A value as the service sent it, at every depth; the same object if nothing was odd. */
export function asSent(value: unknown): unknown {
  if (!isAnyOdd || !isObject(value)) return value;
  const original = originals.get(value);
  if (original) return original.value;
  const entries = Object.entries(value);
  const sent = entries.map(([key, item]): [string, unknown] => [key, asSent(item)]);
  if (sent.every(([, item], at) => item === entries[at]?.[1])) return value;
  return Array.isArray(value) ? sent.map(([, item]) => item) : Object.fromEntries(sent);
}

/** Changes a record, and the one that it was made from in the same way. */
export function changeBoth<Record extends object>(
  record: Record,
  change: (record: Record) => Record,
): Record {
  const changed = change(record);
  const original = originals.get(record);
  if (original === undefined) return changed;
  const value = isObject(original.value) ? change(original.value as Record) : original.value;
  const copy = changed === record ? { ...changed } : changed;
  originals.set(copy, { ...original, value });
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The fields of all answers of a run that are not as specified, to be told in one line. */
export interface OddFieldTally {
  add(fields: readonly OddField[]): void;
  /** "2 fields are not as specified: ins_2000 updateTime: expected string, received number; …". */
  notice(): string | undefined;
}

/** How many are named. */
const NAMED = 3;
/** A run may list the same records again; a list that is too long for the memory it reads once. */
const MAX_REMEMBERED = 10_000;

/** Creates a tally that is empty. */
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
