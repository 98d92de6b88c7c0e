import { isBatches } from "../values/batches.ts";
import { inputErrors } from "../values/errors.ts";
import { alternatives, type Filter, judge, parseFilter } from "../values/filter.ts";
import { isEmptyValue, plainText } from "../values/json.ts";
import { unlikeness } from "../values/nearest.ts";
import { timeAdvice, timeOf } from "../values/time.ts";
import { findName, isSameColumn, type ListName, type NamedList } from "./list-names.ts";

/** The values of `--filter`, `--sort-by` and `--limit`. */
export interface ListQuery {
  readonly filters: readonly string[];
  /** The names to sort by, each with a leading `-` for the reverse order. */
  readonly sortBy: readonly string[];
  readonly limit: number | undefined;
}

/** The requested part of a list. */
export interface Selection {
  /** The part of a list, or of the batches of a list, which stay batches unless they are sorted. */
  readonly of: (result: unknown) => unknown;
  /** Whether a name is used that means this column. */
  readonly uses: (column: string) => boolean;
  /** The fields, and not columns, by which it is sorted. */
  readonly sortFields: readonly string[];
  /** The number of items that were read; undefined while no filter leaves any out. */
  readonly searched: () => number | undefined;
  /** Whether the whole list is read before any of it is given. */
  readonly isSorted: boolean;
  /** Whether the limit was reached, and so there may be more. */
  readonly isCut: () => boolean;
  /** The filters that may be mistyped, known once the list was read. */
  readonly doubts: () => readonly FilterDoubt[];
  /** The dotted paths that none of the items had. */
  readonly absent: () => readonly AbsentPath[];
}

/** A filter that no item met, and that may be mistyped. */
export interface FilterDoubt {
  readonly filter: Filter;
  readonly reason: "no-field" | "not-comparable" | "no-such-value";
  readonly problem: string;
  /** What to do about it, as sentences. */
  readonly hint?: string;
  /** The problem and the hint. */
  readonly text: string;
}

/** A path that no item has, in the option that it was typed in. */
export interface AbsentPath {
  readonly name: string;
  /** `--filter`, `--sort-by`, or the option of a command that reads filters itself. */
  readonly option: string;
  /** The text that the option was given. */
  readonly text: string;
}

type Batch = readonly unknown[];

/**
 * The items among which the nearest value is looked for: of a long list, comparing takes its time.
 */
const MAX_COMPARED = 10_000;

/** The different values that a note on a mistyped one names; more are not a set of words. */
const MAX_SEEN = 6;

/**
 * Prepares the selection of a list.
 * @param options `onLongSort` is called once, when a sorted list is long
 * @throws {UsageError} for an invalid filter and an unknown name
 */
export function createSelection(
  list: NamedList,
  { filters, sortBy, limit = Number.POSITIVE_INFINITY }: ListQuery,
  { now, onLongSort }: { readonly now: Date; readonly onLongSort?: () => void },
): Selection {
  const parsed = filters.map((text) => parseFilter(text, now));
  const groups = alternatives(parsed, (filter) => filter).map((group, at) =>
    group.map((filter) => createCondition(list, filter, at === 0)),
  );
  const conditions = groups.flat();
  const keys = sortBy.map((text) => sortKey(list, text));
  let searched = 0;
  let isCut = false;
  const keep = (batch: Batch) => {
    searched += batch.length;
    // Each of a group is asked, so that a mistyped alternative is noticed.
    const isKept = (group: readonly Condition[]) => (item: unknown) =>
      group.filter(({ holds }) => holds(item)).length > 0;
    return groups.reduce<Batch>((left, group) => left.filter(isKept(group)), batch);
  };
  const take = list.view.growing && sortBy.length === 0 ? newest : first;
  const cut = (items: Batch) => {
    if (items.length > limit) isCut = true;
    return take(items, limit);
  };
  async function* sorted(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    const sorter = createSorter(keys, limit + 1, onLongSort);
    for await (const batch of batches) sorter.add(keep(batch));
    yield cut(sorter.sorted());
  }
  async function* streamed(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    let left = limit;
    for await (const batch of batches) {
      const kept = keep(batch);
      left -= kept.length;
      if (kept.length > 0) yield left < 0 ? take(kept, kept.length + left) : kept;
      // Nothing more is requested, not even to find out whether there is more.
      if (left > 0) continue;
      isCut = true;
      return;
    }
  }
  return {
    of(result) {
      // A list that is watched is selected again at each look.
      isCut = false;
      searched = 0;
      if (isBatches(result)) return keys.length > 0 ? sorted(result) : streamed(result);
      if (!Array.isArray(result)) return result;
      const kept = keep(result);
      if (keys.length === 0) return cut(kept);
      const sorter = createSorter(keys, limit + 1);
      sorter.add(kept);
      return cut(sorter.sorted());
    },
    uses: (column) =>
      [...conditions, ...keys].some(({ found }) => isSameColumn(found.name, column)),
    sortFields: keys.flatMap(({ found }) => (found.isField ? [found.name] : [])),
    searched: () => (conditions.length === 0 ? undefined : searched),
    isSorted: keys.length > 0,
    isCut: () => isCut,
    doubts: () => conditions.flatMap(({ doubt }) => doubt() ?? []),
    absent: () =>
      [...conditions, ...keys]
        .filter(({ isAbsent, found }) => isAbsent() && found.name.includes("."))
        .map(({ found: { name }, option, text }) => ({ name, option, text })),
  };
}

/** The last items: a list that grows at its end has its news there. */
function newest(items: Batch, count: number): Batch {
  return items.slice(Math.max(0, items.length - count));
}

const first = (items: Batch, count: number): Batch => items.slice(0, count);

/** A filter of a list, and what it met. */
interface Condition {
  readonly found: ListName;
  readonly option: AbsentPath["option"];
  readonly text: string;
  readonly holds: (item: unknown) => boolean;
  readonly doubt: () => FilterDoubt | undefined;
  /** Whether there were items, and none has the field; never of a name in quotes. */
  readonly isAbsent: () => boolean;
}

/** @param isFirst whether it meets all items, and not those that other filters left */
function createCondition(list: NamedList, filter: Filter, isFirst: boolean): Condition {
  const { text, isQuotedName: isQuoted, wanted, operator } = filter;
  const found = findName(list, filter, "--filter");
  const met: Met = { items: 0, isMet: false, isPresent: false, seen: new Set(), nearest: "" };
  let nearestAway = Number.POSITIVE_INFINITY;
  const isText = operator === "=" && !("number" in wanted || "period" in wanted);
  const compare = (value: string) => {
    const away = unlikeness(wanted.text, value);
    if (away < nearestAway) [met.nearest, nearestAway] = [value, away];
  };
  const isOrder = /^[<>]/u.test(operator);
  return {
    found,
    option: "--filter",
    text,
    isAbsent: () => found.isField && met.items > 0 && !met.isPresent && !isQuoted,
    holds: (item) => {
      const judged = judge(filter, item, found.values);
      const value = found.value(item);
      if (isOrder && wanted.period === undefined) assertNoTime(filter, value);
      met.items += 1;
      met.isMet ||= judged.holds;
      met.isPresent ||= judged.isPresent;
      met.isComparable ||= judged.isComparable ?? met.isComparable;
      if (!met.isMet && !isEmptyValue(value)) {
        if (met.seen.size <= MAX_SEEN) met.seen.add(plainText(value));
        if (isText && met.items <= MAX_COMPARED) compare(plainText(value));
      }
      return judged.holds;
    },
    doubt: () => doubtOf(filter, found, met, isFirst),
  };
}

interface Met {
  items: number;
  isMet: boolean;
  isPresent: boolean;
  isComparable?: boolean | undefined;
  /** The first values, until one meets the filter. */
  readonly seen: Set<string>;
  /** The value most like the wanted one. */
  nearest: string;
}

function doubtOf(
  filter: Filter,
  { isField }: ListName,
  { items, isMet, isPresent, isComparable, seen, nearest }: Met,
  isFirst: boolean,
): FilterDoubt | undefined {
  const { text, name, operator, wanted } = filter;
  const doubt = (reason: FilterDoubt["reason"], problem: string, hint?: string): FilterDoubt =>
    hint === undefined
      ? { filter, reason, problem, text: `${problem}.` }
      : { filter, reason, problem, hint, text: `${problem}. ${hint}` };
  if (items === 0) return undefined;
  if (!isPresent) {
    return isField ? doubt("no-field", `--filter ${text}: no item has a field ${name}`) : undefined;
  }
  if (isComparable === false) {
    const value = JSON.stringify(wanted.text);
    return doubt(
      "not-comparable",
      `--filter ${text}: no value of ${name} can be compared with ${value}`,
      `Compare numbers with a number. ${timeAdvice(wanted.text)}`,
    );
  }
  if (isMet || operator !== "=" || wanted.text === "") return undefined;
  const which = isFirst ? "No item" : "No item that meets the earlier filters";
  // A value that most items have for themselves, such as a name, is not one of a few words.
  const isWord = seen.size > 0 && seen.size <= MAX_SEEN && seen.size * 2 <= items;
  const problem = `${which} has ${text}`;
  if (isWord) {
    return doubt("no-such-value", `${problem}; seen: ${[...seen].toSorted().join(", ")}`);
  }
  if (nearest === "") return undefined;
  return doubt("no-such-value", problem, `Did you mean ${JSON.stringify(nearest)}?`);
}

/** A time compares only with a time: all else would leave out every item, as if none were so. */
function assertNoTime({ text, wanted }: Filter, value: unknown): void {
  if (timeOf(value) === undefined) return;
  throw inputErrors.filter_not_time(text, wanted.text, timeAdvice(wanted.text));
}

function sortKey(
  list: NamedList,
  text: string,
): SortKey & Pick<Condition, "found" | "option" | "text" | "isAbsent"> {
  const isDescending = text.startsWith("-");
  const name = isDescending ? text.slice(1) : text;
  const found = findName(list, { name }, "--sort-by");
  let isAny = false;
  let isPresent = false;
  const value = (item: unknown) => {
    const read = found.value(item);
    isAny = true;
    isPresent ||= read !== undefined;
    return read;
  };
  const isAbsent = () => found.isField && isAny && !isPresent;
  return { found, option: "--sort-by", text, isAbsent, isDescending, value };
}

interface SortKey {
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
function createSorter(keys: readonly SortKey[], limit: number, onLong?: () => void) {
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
      onLong?.();
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
