import { isEmptyValue } from "../values/json.ts";
import { timeOf } from "../values/time.ts";

/** A value by which a list is sorted. */
export interface SortKey {
  readonly value: (item: unknown) => unknown;
  readonly isDescending: boolean;
}

/** The number of items in memory from which the user gets a notice. */
const LONG = 10_000;

interface Entry {
  readonly item: unknown;
  readonly keys: readonly (string | number | undefined)[];
}

/**
 * Creates a sorter. Numbers and times are sorted as such, texts as a person would, without regard
 * to case; items without a value come last in either order, and equal ones keep theirs.
 * @param limit the number of items that are wanted; no more than twice as many are held
 * @param onLong called once, when many items are held
 */
export function createSorter(keys: readonly SortKey[], limit: number, onLong: () => void) {
  const { compare: compareTexts } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const orderOf = (a: string | number, b: string | number) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
    return typeof a === "number" ? -1 : 1;
  };
  const directions = keys.map(({ isDescending }) => (isDescending ? -1 : 1));
  let entries: Entry[] = [];
  let hasReported = false;
  const compare = (one: Entry, other: Entry): number => {
    for (const [at, direction] of directions.entries()) {
      const [a, b] = [one.keys[at], other.keys[at]];
      if (a === b) continue;
      if (a === undefined) return 1;
      if (b === undefined) return -1;
      const order = orderOf(a, b);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
  const shorten = () => {
    entries = entries.sort(compare).slice(0, limit);
  };
  return {
    add(items: readonly unknown[]) {
      for (const item of items) {
        entries.push({ item, keys: keys.map(({ value }) => sortValue(value(item))) });
      }
      if (entries.length > 2 * limit) shorten();
      if (entries.length < LONG || hasReported) return;
      hasReported = true;
      onLong();
    },
    sorted(): readonly unknown[] {
      shorten();
      return entries.map(({ item }) => item);
    },
  };
}

function sortValue(value: unknown): string | number | undefined {
  if (isEmptyValue(value)) return undefined;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return Number(value);
  }
  return timeOf(value) ?? (typeof value === "string" ? value : JSON.stringify(value));
}
