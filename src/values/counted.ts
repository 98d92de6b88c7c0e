import { inputErrors } from "./errors.ts";

/** The names that a sentence has room for; the others are counted. */
const MOST_NAMES = 5;

/** The first names of a list in one line, and the number of the others: "a, b and 3 more". */
export function firstNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  if (more <= 0) return names.join(", ");
  return `${names.slice(0, MOST_NAMES).join(", ")} and ${numberText(more)} more`;
}

/** The first names in quotes: "a", "b" and 3 more. */
export const quotedNames = (names: readonly string[]) =>
  firstNames(names.map((name) => `"${name}"`));

/** A number for people: "3,000". The first call of `toLocaleString` takes Node 14 ms. */
export function numberText(count: number): string {
  if (!Number.isSafeInteger(count)) return count.toLocaleString("en-GB");
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** The text with a capital first letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text with a small first letter. */
export function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A number with its noun: "1 rule", "3,000 rules". */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const BYTES = { b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 } as const;
type Unit = keyof typeof BYTES;

/** The largest text that fits into one JavaScript string in any encoding. */
const MAX_BYTES = 500 * BYTES.mb;

/**
 * Reads a size such as `10MB`, `512KB` or `1.5MB`; a KB has 1024 bytes.
 * @returns bytes
 * @throws {UsageError} for anything else, zero and more than 500MB included
 */
export function readSize(text: string): number {
  const { amount, unit = "" } =
    /^(?<amount>\d+(?:\.\d+)?) ?(?<unit>b|kb|mb|gb)$/iu.exec(text.trim())?.groups ?? {};
  const bytes = Math.round(Number(amount) * (BYTES[unit.toLowerCase() as Unit] ?? Number.NaN));
  if (bytes > 0 && bytes <= MAX_BYTES) return bytes;
  throw bytes > MAX_BYTES ? inputErrors.size_too_large(text) : inputErrors.size_invalid(text);
}

/** A size as text, in the largest unit that it reaches: `4 MB`, `1.5 KB`. */
export function sizeText(bytes: number): string {
  const unit = (["gb", "mb", "kb"] as const).find((one) => bytes >= BYTES[one]) ?? "b";
  return `${Math.round((bytes / BYTES[unit]) * 10) / 10} ${unit.toUpperCase()}`;
}

/**
 * Reads the maximum of parallel creates.
 * @param source the name in errors
 * @throws {UsageError} for anything but a number from 1 to 64
 */
export function readParallel(text: string, source?: string): number {
  const number = Number(text);
  if (/^\d+$/u.test(text.trim()) && number >= 1 && number <= 64) return number;
  throw inputErrors.number_invalid(text, 1, 64).at(source);
}
