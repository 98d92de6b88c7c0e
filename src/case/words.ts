/** Words that the pages and rules of a case share. */

import { counted, firstNames } from "../values/counted.ts";

/** The first names in quotes, and how many more there are. */
export function quotedList(names: readonly string[]): string {
  return firstNames(names.map((name) => JSON.stringify(name)));
}

/** A day, in milliseconds. */
export const DAY_MS = 86_400_000;

/** The time from one moment to another; undefined if one of them is not a time. */
export function millisecondsBetween(
  from: string | null | undefined,
  to: string | null | undefined,
): number | undefined {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/**
 * A time for people, with its zone and the year where it is not that of `now`: "18 Nov 09:15 UTC".
 */
export function shortTimeText(time: string, now: Date): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const year = at.getUTCFullYear() === now.getUTCFullYear() ? "" : ` ${at.getUTCFullYear()}`;
  const clock = at.toISOString().slice(11, 16);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}${year} ${clock} UTC`;
}

/** How long ago a time was: "3 days"; undefined for a time to come, as of another clock. */
export function sinceText(time: string, now: Date): string | undefined {
  const ms = now.getTime() - Date.parse(time);
  if (Number.isNaN(ms) || ms < 0) return undefined;
  if (ms >= 2 * DAY_MS) return counted(Math.floor(ms / DAY_MS), "day");
  if (ms >= 2 * 3_600_000) return counted(Math.floor(ms / 3_600_000), "hour");
  return counted(Math.floor(ms / 60_000), "minute");
}

const MAX_QUOTE = 160;

/** A line of a log as it is quoted; of a long one, its start. */
export function excerpt(text: string): string {
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text;
}
