/** Whether a value is a JSON object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value says nothing: it is missing, null, or an empty text, list or object. */
export function isEmptyValue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return (value ?? "") === "";
}

/** The record without undefined fields. */
export function withoutUndefined<Facts extends object>(facts: Facts): Defined<Facts> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Defined<Facts>;
}

type Defined<Facts> = { [Key in keyof Facts]?: Exclude<Facts[Key], undefined> };
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
 * @throws {SyntaxError}
 */
export function parseJson(text: string): unknown {
  if (!MANY_DIGITS.test(text) || !LARGE_NUMBER.test(text)) return JSON.parse(text);
  writeBigints();
  return JSON.parse(text, (_key, value: unknown, { source = "" }: SourceContext = {}) =>
    typeof value === "number" && !Number.isSafeInteger(value) && INTEGER.test(source)
      ? BigInt(source)
      : value,
  );
}

/**
 * Lets `JSON.stringify` write bigints, for which it throws otherwise. No other part of amp uses
 * them.
 */
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
