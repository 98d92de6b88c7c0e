import { inputErrors } from "./errors.ts";
import { isEmptyValue, plainText, valueAt } from "./json.ts";
import { withoutAccents } from "./nearest.ts";
import { type Period, readPeriod, timeOf } from "./time.ts";

/** The operators, those of two characters first. */
const OPERATORS = ["!=", "<=", ">=", "==", "=", "~", "<", ">"] as const;

/** How a filter compares: `~` is "contains", without regard to case and accents. */
type FilterOperator = Exclude<(typeof OPERATORS)[number], "==">;

/** One condition on a record, such as `health=unhealthy` or `createTime>3d`. */
export interface Filter {
  /** The filter as it was typed. */
  readonly text: string;
  /** The dotted path of a field, or the name of a column. */
  readonly name: string;
  /** Whether the name was quoted: a field of which amp may know nothing. */
  readonly isQuotedName: boolean;
  readonly operator: FilterOperator;
  readonly wanted: WantedValue;
}

/** The value that a filter compares with, in each way in which it can be read. */
interface WantedValue {
  readonly text: string;
  /** Absent where it is not a number, or was quoted. */
  readonly number?: number;
  /** Absent where it is not a time, or was quoted. */
  readonly period?: Period;
}

/** The result of a filter for one record. */
interface Judgement {
  readonly holds: boolean;
  /** Whether the record has the field, be it empty. */
  readonly isPresent: boolean;
  /**
   * Whether a value could be compared, as a time cannot with `blue`; undefined for empty values.
   */
  readonly isComparable: boolean | undefined;
}

/**
 * Reads the values of a name in a record: those of a column, or undefined where nothing is there.
 */
type ReadValue = (record: unknown, name: string) => unknown;

/**
 * Reads a filter: a name, an operator (`=`, `!=`, `~`, `<`, `<=`, `>`, `>=`) and a value. A value
 * in quotes is text, with the spaces around it; so is a name in quotes, with any characters.
 * @param now the time to which `2h` and `3d` relate
 * @throws {UsageError} for anything else
 */
export function parseFilter(text: string, now: Date): Filter {
  const { name, isQuotedName, rest } = splitName(text);
  const operator = OPERATORS.find((one) => rest.startsWith(one));
  if (operator === undefined || name === "") throw inputErrors.filter_invalid(text);
  const value = rest.slice(operator.length).trim();
  return {
    text,
    name,
    isQuotedName,
    operator: operator === "==" ? "=" : operator,
    wanted: wantedValue(value, now),
  };
}

/**
 * The filters of which a record must meet one of each group: those of one name with `=` or `~` are
 * alternatives; each of the others is alone.
 */
export function alternatives<One>(all: readonly One[], filterOf: (one: One) => Filter): One[][] {
  const keyOf = (one: One, at: number) => {
    const { name, operator } = filterOf(one);
    return operator === "=" || operator === "~" ? name.toLowerCase() : at;
  };
  const groups = new Map<string | number, One[]>();
  for (const [at, one] of all.entries()) {
    const key = keyOf(one, at);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** Filters in words: `health=unhealthy and (provider=hubspot or provider=stripe)`. */
export function filtersText(filters: readonly string[]): string {
  const groups = alternatives(filters, (text) => parseFilter(text, new Date()));
  const texts = groups.map((group) => {
    const either = group.join(" or ");
    return group.length > 1 && groups.length > 1 ? `(${either})` : either;
  });
  return texts.join(" and ");
}

/** Filters with more of them, which replace their own alternatives: they narrow what was met. */
export function narrowed(filters: readonly string[], more: readonly string[]): string[] {
  const filterOf = (text: string) => parseFilter(text, new Date());
  const isReplaced = (text: string) =>
    more.some((one) => alternatives([text, one], filterOf).length === 1);
  return [...filters.filter((text) => !isReplaced(text)), ...more];
}

/** True if a record meets a filter; for a list of values, if one of them does. */
export function matches(filter: Filter, record: unknown, read: ReadValue = valueAt): boolean {
  return judge(filter, record, read).holds;
}

/**
 * Compares a record with a filter. `!=` is the opposite of `=`, and so holds for a missing field; a
 * value that is not there equals an empty one and `null`. Objects are compared as JSON.
 */
export function judge(
  { name, operator, wanted }: Filter,
  record: unknown,
  read: ReadValue = valueAt,
): Judgement {
  const found = read(record, name);
  const values = Array.isArray(found) && found.length > 0 ? found : [found];
  const results = values.map((value) => COMPARE[operator](value, wanted));
  const isPresent = found !== undefined;
  const isComparable = values.every(isEmptyValue)
    ? undefined
    : results.some((result, at) => result !== undefined && !isEmptyValue(values[at]));
  const holds = operator === "!=" ? results.every(Boolean) : results.some(Boolean);
  return { holds, isPresent, isComparable };
}

/** The name before the operator, and what follows it. */
function splitName(text: string): Pick<Filter, "name" | "isQuotedName"> & { rest: string } {
  const quoted = /^\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')\s*(?<rest>.*)$/su.exec(text);
  const { double, single, rest = "" } = quoted?.groups ?? {};
  const name = double ?? single;
  if (name !== undefined) return { name, isQuotedName: true, rest };
  const at = text.search(/[=!~<>]/u);
  if (at < 0) throw inputErrors.filter_invalid(text);
  return { name: text.slice(0, at).trim(), isQuotedName: false, rest: text.slice(at) };
}

function wantedValue(value: string, now: Date): WantedValue {
  const quoted = /^(?:"(?<double>.*)"|'(?<single>.*)')$/su.exec(value)?.groups;
  const text = quoted && (quoted.double ?? quoted.single);
  if (text !== undefined) return { text };
  const period = readPeriod(value, now);
  return {
    text: value,
    ...(isNumberText(value) ? { number: Number(value) } : {}),
    ...(period === undefined ? {} : { period }),
  };
}

function isNumberText(text: string): boolean {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu.test(text);
}

/** The comparison of each operator; undefined if the two values cannot be compared. */
const COMPARE: Readonly<
  Record<FilterOperator, (value: unknown, wanted: WantedValue) => boolean | undefined>
> = {
  "=": equals,
  "!=": (value, wanted) => !equals(value, wanted),
  "~": (value, { text }) => withoutAccents(plainText(value)).includes(withoutAccents(text)),
  "<": (value, wanted) => ordered(value, wanted, (order) => order < 0),
  "<=": (value, wanted) => ordered(value, wanted, (order) => order <= 0),
  ">": (value, wanted) => ordered(value, wanted, (order) => order > 0),
  ">=": (value, wanted) => ordered(value, wanted, (order) => order >= 0),
};

function equals(value: unknown, wanted: WantedValue): boolean {
  if (isEmptyValue(value)) {
    const isNull = (value ?? null) === null;
    return wanted.text === "" || wanted.text === (isNull ? "null" : plainText(value));
  }
  if (typeof value === "number" && wanted.number !== undefined) return value === wanted.number;
  if (typeof value === "boolean") return wantedBoolean(wanted.text) === value;
  const time = wanted.period && !wanted.period.isAgo ? timeOf(value) : undefined;
  if (wanted.period && time !== undefined) return place(time, wanted.period) === 0;
  return isSameText(plainText(value), wanted.text);
}

/** Whether two texts are the same but for their case. */
export function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Terminals show `yes` and `no` for the values of JSON. */
function wantedBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (word === "true" || word === "yes") return true;
  return word === "false" || word === "no" ? false : undefined;
}

function ordered(
  value: unknown,
  wanted: WantedValue,
  holds: (order: number) => boolean,
): boolean | undefined {
  const order = orderOf(value, wanted);
  return order === undefined ? undefined : holds(order);
}

/** How a value lies to the wanted one; undefined where they are of different kinds. */
function orderOf(value: unknown, { text, number, period }: WantedValue): number | undefined {
  if (isEmptyValue(value) || typeof value === "boolean" || typeof value === "object")
    return undefined;
  const time = timeOf(value);
  if (time !== undefined) return period && place(time, period);
  if (number !== undefined) {
    const amount = typeof value === "string" && !isNumberText(value) ? undefined : Number(value);
    return amount === undefined ? undefined : Math.sign(amount - number);
  }
  if (typeof value !== "string" || period?.isAgo) return undefined;
  if (isSameText(value, text)) return 0;
  return value.toLowerCase() < text.toLowerCase() ? -1 : 1;
}

/** Before a period, in it, or after it. */
function place(time: number, { start, end }: Period): number {
  if (time < start) return -1;
  return time < end ? 0 : 1;
}
