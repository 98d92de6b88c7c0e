import { counted } from "./counted.ts";
import { inputErrors } from "./errors.ts";

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
  const error = time === 0 ? inputErrors.duration_zero(text) : inputErrors.duration_invalid(text);
  throw error.at(source);
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

/** A stretch of time, in milliseconds since 1970: it includes its start, and not its end. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A day, in milliseconds. */
export const DAY_MS = 86_400 * SECOND;

/** The units of a time that is counted back from now. */
const AGO = { ms: 1, s: SECOND, m: MINUTE, h: 60 * MINUTE, d: DAY_MS, w: 7 * DAY_MS } as const;

/** A date, or a time by RFC 3339 whose zone, seconds and time of day may be missing. */
const TIME =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<minute>\d\d:\d\d)(?<second>:\d\d)?(?<fraction>\.\d+)?)?(?<zone>[Zz]|[+-]\d\d:\d\d)?$/u;

/** The longest text that is looked at as a time. */
const MAX_LENGTH = 40;

/**
 * The period that a text names: the day of `2026-09-01`, the minute of `2026-09-01T10:30`, or the
 * moment that was `2h` or `3d` ago. A time without a zone is UTC.
 * @returns undefined for any other text
 */
export function readPeriod(text: string, now: Date): Period | undefined {
  const { amount, unit } = /^(?<amount>\d+)(?<unit>ms|s|m|h|d|w)$/u.exec(text)?.groups ?? {};
  if (amount !== undefined && unit !== undefined) {
    const start = now.getTime() - Number(amount) * AGO[unit as keyof typeof AGO];
    return { start, end: start + 1 };
  }
  const start = timeOf(text);
  if (start === undefined) return undefined;
  const { minute, second, fraction } = TIME.exec(text)?.groups ?? {};
  const length = fraction ? 1 : second ? SECOND : minute ? MINUTE : DAY_MS;
  return { start, end: start + length };
}

const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/**
 * The start of the day that a word names, in UTC: today, yesterday, or the latest of a weekday, by
 * its name or the first three letters of it.
 * @returns undefined for any other text
 */
export function startOfNamedDay(text: string, now: Date): number | undefined {
  const word = text.toLowerCase();
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  if (word === "today") return today;
  if (word === "yesterday") return today - DAY_MS;
  const weekday = WEEKDAYS.findIndex((name) => word === name || word === name.slice(0, 3));
  return weekday < 0 ? undefined : today - ((now.getUTCDay() - weekday + 7) % 7) * DAY_MS;
}

/** Whether a text is a date or a time, and not a duration. */
export function isTimeText(text: string): boolean {
  return timeOf(text) !== undefined;
}

/** The time that a value is, in milliseconds since 1970; undefined for anything but a time. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > MAX_LENGTH) return undefined;
  const { date, minute, second = "", fraction = "", zone } = TIME.exec(value)?.groups ?? {};
  if (date === undefined || (minute === undefined && zone !== undefined)) return undefined;
  // A day that its month does not have would be one of the next month.
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date) return undefined;
  const zoned = (zone ?? "Z").toUpperCase();
  const time = Date.parse(`${date}T${minute ?? "00:00"}${second}${fraction}${zoned}`);
  return Number.isNaN(time) ? undefined : time;
}

/** The IANA name of the local time zone, which `TZ` may name. */
export function localTimeZone(env: { readonly TZ?: string | undefined }): string {
  return env.TZ || new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A moment in local time and UTC: `2026-09-02 10:45 GMT+2 (08:45 UTC)`. */
export function localTimeText(moment: Date, timeZone: string): string {
  const [utcDay = "", utcTime = ""] = moment.toISOString().slice(0, 16).split("T");
  const local = localParts(moment, timeZone);
  if (local === undefined || /^(?:GMT|UTC)(?:[+-]0)?$/u.test(local.zone))
    return `${utcDay} ${utcTime} UTC`;
  const utc = local.day === utcDay ? utcTime : `${utcDay} ${utcTime}`;
  return `${local.day} ${local.time} ${local.zone} (${utc} UTC)`;
}

function localParts(moment: Date, timeZone: string) {
  try {
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      timeZoneName: "shortOffset",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
    const parts = format.formatToParts(moment);
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
    return {
      day: `${part("year")}-${part("month")}-${part("day")}`,
      time: `${part("hour")}:${part("minute")}`,
      zone: part("timeZoneName"),
    };
  } catch {
    return undefined;
  }
}

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
  if (ms >= 2 * AGO.h) return counted(Math.floor(ms / AGO.h), "hour");
  return counted(Math.floor(ms / MINUTE), "minute");
}
