import { UsageError } from "./errors.ts";

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
/** The longest that a timer of Node takes, about 24 days; a longer one would fire at once. */
const LONGEST = 2_147_483_647;

/**
 * Reads a time such as `30s`, `2m`, `1500ms` or `1h`.
 * @returns milliseconds
 * @throws {UsageError} for anything else, zero and more than 24 days included
 */
export function readDuration(text: string): number {
  const { amount, unit } = /^(?<amount>\d+)(?<unit>ms|s|m|h)$/u.exec(text.trim())?.groups ?? {};
  const time = Number(amount) * MILLISECONDS[(unit ?? "s") as keyof typeof MILLISECONDS];
  if (time > 0 && time <= LONGEST) return time;
  throw new UsageError(`${JSON.stringify(text)} is no time such as 30s, 2m or 1500ms`);
}
