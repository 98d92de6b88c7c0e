import { UsageError } from "../errors.ts";

/**
 * Reads the maximum of parallel creates.
 * @param source the name in errors
 * @throws {UsageError} for anything but a number from 1 to 64
 */
export function readParallel(text: string, source?: string): number {
  const number = Number(text);
  if (/^\d+$/u.test(text.trim()) && number >= 1 && number <= 64) return number;
  const about = `${source === undefined ? "" : `${source}: `}${JSON.stringify(text)}`;
  throw new UsageError(`${about} is not a whole number from 1 to 64`);
}
