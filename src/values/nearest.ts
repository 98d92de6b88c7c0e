import { distance } from "fastest-levenshtein";

/**
 * Finds the candidate that was probably meant: the one with the most similar spelling, or else the
 * only one that begins with the typed word.
 */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const near = candidates
    .map((candidate) => ({ candidate, away: mistakes(word, candidate.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
    .at(0);
  if (near !== undefined && near.away < Number.POSITIVE_INFINITY) return near.candidate;
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(word));
  return longer.length === 1 ? longer[0] : undefined;
}

/** The known word of which a typed one is a near miss: in another case, or with at most two mistakes. */
export function nearMiss(typed: string, known: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const away = (one: string) => mistakes(word, one.toLowerCase());
  const [near] = known.filter((one) => away(one) <= 2).sort((a, b) => away(a) - away(b));
  return near;
}

/**
 * The number of mistakes in a typed word if another was meant; infinite where they are not similar.
 * Two letters that changed places count as one mistake.
 */
export function mistakes(typed: string, meant: string): number {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  // A pasted text may be long, and to compare its letters takes long.
  if (Math.abs(typed.length - meant.length) > limit) return Number.POSITIVE_INFINITY;
  const away = distance(typed, meant);
  const counted = away === 2 && sorted(typed) === sorted(meant) ? 1 : away;
  return counted <= limit ? counted : Number.POSITIVE_INFINITY;
}

/**
 * The candidates with the most similar spelling first; those that are equally far keep their order.
 */
export function byNearness(typed: string, candidates: readonly string[]): string[] {
  const word = typed.toLowerCase();
  const away = (candidate: string) => {
    const other = candidate.toLowerCase();
    // A name that contains the typed word is nearer than one with similar letters.
    return distance(word, other) - (other.includes(word) ? other.length : 0);
  };
  return candidates.toSorted((a, b) => away(a) - away(b));
}

/**
 * How unlike a typed word the value is that it may mean: another spelling of it, a longer one, one
 * with mistakes in it or in a word of it; infinite where they are not similar.
 */
export function unlikeness(typed: string, value: string): number {
  const [word, other] = [withoutAccents(typed), withoutAccents(value)];
  if (word.length < 2) return Number.POSITIVE_INFINITY;
  if (other.includes(word)) return word === other ? 0 : 1;
  const parts = other.split(/[^\p{L}\p{N}]+/u);
  const least = (most: number, part: string) => Math.min(most, mistakes(word, part));
  return 1 + parts.reduce(least, mistakes(word, other));
}

function sorted(word: string): string {
  return [...word].sort().join("");
}

/** Whether a text fits a pattern, in which `*` matches any characters. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}

/** Letters that have no accent to take off. */
const PLAIN: Readonly<Record<string, string>> = { æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d" };

/** A text in lower case and without accents, as searches compare it. */
export function withoutAccents(text: string): string {
  const lower = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toUpperCase().toLowerCase();
  return lower.replaceAll(/[æøœłđ]/gu, (letter) => PLAIN[letter] ?? letter);
}
