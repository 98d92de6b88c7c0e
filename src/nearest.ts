import { distance } from "fastest-levenshtein";

/** The candidate that was probably meant; undefined where none is near. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const near = Math.max(1, Math.floor(typed.length / 3));
  return candidates
    .map((candidate) => ({
      candidate,
      away: distance(typed.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ away }) => away <= near)
    .sort((a, b) => a.away - b.away)
    .at(0)?.candidate;
}
