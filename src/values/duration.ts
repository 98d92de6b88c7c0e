import { UsageError } from "../errors.ts";

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
/** The longest timer of Node, about 24 days; a longer one would fire at once. */
const MAX_MS = 2_147_483_647;

/**
 * Reads a duration such as `30s`, `2m`, `1500ms` or `1h`.
 * @param source the name in errors, for example `--timeout`
 * @returns milliseconds
 * @throws {UsageError} for anything else, zero and more than 24 days included
 */
export function readDuration(text: string, source?: string): number {
  const { amount, unit } = /^(?<amount>\d+)(?<unit>ms|s|m|h)$/u.exec(text.trim())?.groups ?? {};
  const time = Number(amount) * MILLISECONDS[(unit ?? "s") as keyof typeof MILLISECONDS];
  if (time > 0 && time <= MAX_MS) return time;
  const about = `${source === undefined ? "" : `${source}: `}${JSON.stringify(text)}`;
  throw new UsageError(
    time === 0
      ? `${about} must be more than 0`
      : `${about} is not a valid duration (for example 30s, 2m or 1500ms)`,
  );
}

/**
 * The remedy for work that took longer than an option allows.
 * @param example the option with a longer time
 * @param source where the time was set: the option itself, a variable or a file
 */
export function moreTime(example: string, source?: string): string {
  const [option] = example.split(" ");
  const instead =
    source === undefined || source === option ? "" : `, which has precedence over ${source}`;
  return `Allow more time with ${option}, for example ${example}${instead}.`;
}

/**
 * A duration as text: `0.3 s`, `12 s`, `5 min`, `2 h 10 min`.
 * @param ms milliseconds
 */
export function durationText(ms: number): string {
  // Never "0 s": what is waited for at all takes a moment.
  if (ms < 9_950) return `${Math.max(1, Math.round(ms / 100)) / 10} s`;
  if (ms < 119_500) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / MILLISECONDS.m);
  if (minutes < 60) return `${minutes} min`;
  return [`${Math.floor(minutes / 60)} h`, minutes % 60 ? `${minutes % 60} min` : ""]
    .join(" ")
    .trim();
}
