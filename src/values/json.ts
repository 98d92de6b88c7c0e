import { tried } from "./basics.ts";

/** Whether a value is a JSON object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined for any other text. */
export function jsonOf(text: string): unknown {
  return tried(() => JSON.parse(text));
}

/** Whether a value says nothing: it is missing, null, or an empty text, list or object. */
export function isEmptyValue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return (value ?? "") === "";
}

/**
 * A value as text, objects as JSON; String would call the methods that a record of a service has.
 */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The record without undefined fields. */
export function defined<const Facts extends object>(facts: Facts): Defined<Facts> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Defined<Facts>;
}

type Defined<Facts> = {
  [Key in keyof Facts as undefined extends Facts[Key] ? never : Key]: Facts[Key];
} & {
  [Key in keyof Facts as undefined extends Facts[Key] ? Key : never]?: Exclude<
    Facts[Key],
    undefined
  >;
};

/** The parser's facts about a value besides its key; the library's types do not have them yet. */
interface SourceContext {
  readonly source?: string;
}

/** A quick test that few texts pass: only such a text may have an integer beyond 2^53. */
const MANY_DIGITS = /\d{16}/u;
const LARGE_NUMBER = /(?:^|[[:,\s])-?\d{16}/u;
const INTEGER = /^-?\d{16,}$/u;

/**
 * Parses JSON. An integer that a number cannot hold becomes a bigint, which keeps all digits;
 * `JSON.stringify` writes it unchanged.
 * @throws {SyntaxError} also for a text that would fill the memory
 */
export function parseJson(text: string): unknown {
  if (isBomb(text)) throw new SyntaxError(jsonProblem(text));
  if (!MANY_DIGITS.test(text) || !LARGE_NUMBER.test(text)) return JSON.parse(text);
  writeBigints();
  return JSON.parse(text, (_key, value: unknown, { source = "" }: SourceContext = {}) =>
    typeof value === "number" && !Number.isSafeInteger(value) && INTEGER.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Lets `JSON.stringify` write bigints, for which it throws. No other part of amp uses them. */
function writeBigints(): void {
  if (Object.hasOwn(BigInt.prototype, "toJSON")) return;
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  Object.defineProperty(BigInt.prototype, "toJSON", {
    value(this: bigint) {
      return rawJSON(String(this));
    },
    configurable: true,
  });
}

/** The length from which a text can fill the memory. */
const LARGE_TEXT = 2 ** 18;
/** The maximum values of a text: empty objects take the most memory for their length. */
const MAX_VALUES = 2_000_000;
/** The maximum fields of one object: V8 needs a kilobyte for each. */
const MAX_FIELDS = 50_000;
const MAX_LEVELS = 100_000;

/** The problem of a text that {@link parseJson} refuses. */
export function jsonProblem(text: string): string {
  return isBomb(text) ? "has too many values, fields or levels" : "is not valid JSON";
}

/** Whether a text has more values, fields or levels than any service returns at once. */
function isBomb(text: string): boolean {
  if (text.length <= LARGE_TEXT) return false;
  let values = 0;
  let isInString = false;
  // The number of fields of each object around the place; a list has no limit of its own.
  const levels: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === 0x22) isInString = false;
      else if (code === 0x5c) at += 1;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x5d || code === 0x7d) levels.pop();
    else if (code === 0x5b || code === 0x7b || code === 0x2c) {
      values += 1;
      if (code === 0x2c) levels.push((levels.pop() ?? 0) + 1);
      else levels.push(code === 0x7b ? 1 : Number.NEGATIVE_INFINITY);
      if (values > MAX_VALUES || levels.length > MAX_LEVELS) return true;
      if ((levels.at(-1) ?? 0) > MAX_FIELDS) return true;
    }
  }
  return false;
}

type Fields = Readonly<Record<string, unknown>>;

/** The place of a path in an object: the key, and the rest of the path below it. */
interface FieldPlace {
  readonly key: string;
  readonly rest?: string;
}

/**
 * The value at a field. A dot leads into an object, and through every element of a list, which
 * makes a list of values; a key that contains dots itself is found too.
 */
export function valueAt(value: unknown, field: string): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => hasField(item, field)).flatMap((item) => valueAt(item, field));
  }
  const found = isJsonObject(value) && placeOf(value, field);
  if (!found) return undefined;
  const inner = value[found.key];
  return found.rest === undefined ? inner : valueAt(inner, found.rest);
}

/** Whether a value, or an element of a list, has a field. */
export function hasField(value: unknown, field: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasField(item, field));
  return isJsonObject(value) && placeOf(value, field) !== undefined;
}

/** The place of a field in an object: the longest key that leads to it; undefined without one. */
export function placeOf(value: Fields, field: string): FieldPlace | undefined {
  if (Object.hasOwn(value, field)) return { key: field };
  for (let dot = field.lastIndexOf("."); dot > 0; dot = field.lastIndexOf(".", dot - 1)) {
    const key = field.slice(0, dot);
    const rest = field.slice(dot + 1);
    if (Object.hasOwn(value, key) && hasField(value[key], rest)) return { key, rest };
  }
  return undefined;
}

/** The text of a schema issue, shorter than zod's; an absent value is called missing. */
export function schemaIssueText(message: string): string {
  return message
    .replace(/^Invalid input: /u, "")
    .replace(/^Too small: expected number to be >=/u, "expected a number of at least ")
    .replace(/^Too big: expected number to be <=/u, "expected a number of at most ")
    .replace(/, received undefined$/u, ", but it is missing");
}
