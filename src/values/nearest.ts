import { distance } from "fastest-levenshtein";

/**
 * Finds the candidate that was probably meant: the one with the most similar spelling, or else the
 * only one that begins with the typed word.
 */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const limit = Math.max(1, Math.floor(word.length / 3));
  const near = candidates
    .map((candidate) => ({ candidate, away: mistakes(word, candidate.toLowerCase()) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away)
    .at(0)?.candidate;
  if (near !== undefined) return near;
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(word));
  return longer.length === 1 ? longer[0] : undefined;
}

/** The edit distance; two letters that changed places count as one mistake. */
function mistakes(one: string, other: string): number {
  const away = distance(one, other);
  return away === 2 && sorted(one) === sorted(other) ? 1 : away;
}

function sorted(word: string): string {
  return [...word].sort().join("");
}
