import { capitalised, counted } from "./counted.ts";
import { inputErrors } from "./errors.ts";

/** The longest timer of Node, about 24 days; a longer one would fire at once. */
const MAX_MS = 2_147_483_647;

/**
 * Reads a duration such as `30s`, `2m`, `1500ms`, `1h` or `3d`.
 * @param source the name in errors, for example `--timeout`
 * @returns milliseconds
 * @throws {UsageError} for anything else, zero and more than 24 days included
 */
export function readDuration(text: string, source?: string): number {
  const { amount, unit } = /^(?<amount>\d+)(?<unit>ms|[smhdw])$/u.exec(text.trim())?.groups ?? {};
  const time = Number(amount) * AGO[(unit ?? "s") as keyof typeof AGO];
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
 * A duration as text: `0.3 s`, `12 s`, `5 min`, `2 h 10 min`, `1 day 6 h`.
 * @param ms milliseconds
 */
export function durationText(ms: number): string {
  // Never "0 s": what is waited for at all takes a moment.
  if (ms < 9_950) return `${Math.max(1, Math.round(ms / 100)) / 10} s`;
  if (ms < 119_500) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1440)];
  if (days > 0) return parts(counted(days, "day"), hours % 24, "h");
  return parts(`${hours} h`, minutes % 60, "min");
}

function parts(first: string, rest: number, unit: string): string {
  return rest === 0 ? first : `${first} ${rest} ${unit}`;
}

/** A stretch of time, in milliseconds since 1970: it includes its start, and not its end. */
export interface Period {
  readonly start: number;
  readonly end: number;
  /** Whether it is counted back from now, as `2h` is. */
  readonly isAgo?: true;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A day, in milliseconds. */
export const DAY_MS = 86_400 * SECOND;

/** The units of a time that is counted back from now. */
const AGO = {
  ms: 1,
  s: SECOND,
  sec: SECOND,
  second: SECOND,
  m: MINUTE,
  min: MINUTE,
  minute: MINUTE,
  h: 60 * MINUTE,
  hour: 60 * MINUTE,
  d: DAY_MS,
  day: DAY_MS,
  w: 7 * DAY_MS,
  week: 7 * DAY_MS,
} as const;
const AMOUNT = /(\d[\d,]*) ?([a-z]+?)s?(?![a-z])/gu;
const AMOUNTS = new RegExp(`^(?:${AMOUNT.source} ?)+(?:ago)?$`, "u");

/** A date, or a time by RFC 3339 whose zone, seconds and time of day may be missing. */
const TIME =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<minute>\d\d:\d\d)(?<second>:\d\d)?(?<fraction>\.\d+)?)?(?<zone>[Zz]|[+-]\d\d:\d\d)?$/u;

/** The longest text that is looked at as a time. */
const MAX_LENGTH = 40;
const MAX_SPOKEN = 60;

/**
 * The period that a text names: the day of `2026-09-01`, `21 Nov`, `21.11.`, `monday` or `last
 * monday`, the minute of `2026-09-01T10:30`, `9:00`, `9 am`, `noon` or `yesterday 9:00`, the moment
 * that was `2h`, `3 days` or `1 day 6 h ago`, and every time that amp prints. Without a zone it is
 * UTC; without a day or year, the latest one.
 * @returns undefined for any other text
 */
export function readPeriod(text: string, now: Date): Period | undefined {
  if (text.length > MAX_SPOKEN) return undefined;
  const start = timeOf(text);
  if (start === undefined) return periodAgo(text.toLowerCase(), now) ?? spokenPeriod(text, now);
  const { minute, second, fraction } = TIME.exec(text)?.groups ?? {};
  const length = fraction ? 1 : second ? SECOND : minute ? MINUTE : DAY_MS;
  return { start, end: start + length };
}

function periodAgo(text: string, now: Date): Period | undefined {
  if (text !== "just now" && !AMOUNTS.test(text)) return undefined;
  let start = now.getTime();
  for (const [, amount, unit = ""] of text.matchAll(AMOUNT)) {
    const known = Object.hasOwn(AGO, unit) ? unit : `${unit}s`;
    if (!Object.hasOwn(AGO, known)) return undefined;
    start -= Number(amount?.replaceAll(",", "")) * AGO[known as keyof typeof AGO];
  }
  return Number.isNaN(new Date(start).getTime())
    ? undefined
    : { start, end: start + 1, isAgo: true };
}

const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

const WORD = `(?:(?<last>last) )?(?<word>today|yesterday|(?:${WEEKDAYS.map((day) => day.slice(0, 3)).join("|")})[a-z]*),?`;
const MONTH = `(?:${MONTHS.join("|")})[a-z]*`;
const DATE = `(?<iso>\\d{4}-\\d\\d-\\d\\d)|(?:(?<day>\\d{1,2})\\.? (?<month>${MONTH})|(?<month2>${MONTH}) (?<day2>\\d{1,2})|(?<day3>\\d{1,2})\\.(?<month3>\\d{1,2})\\.)(?:,? ?(?<=[ .])(?<year>\\d{4}))?,?`;
const CLOCK =
  "(?<clock>noon|midnight|\\d{1,2}:\\d\\d|\\d{1,2}(?= ?[ap]m))(?<second>:\\d\\d)?(?: ?(?<half>[ap]m))?(?: ?(?:UTC|GMT|Z)(?<zone>[+-]\\d{1,2}(?::\\d\\d)?)?)?";
/** A day, a time of day, or both, and in brackets what amp adds to a time. */
const SPOKEN = new RegExp(`^(?:${WORD})? ?(?:${DATE})? ?(?:${CLOCK})?(?: \\(.*\\))?$`, "iu");

/** The day and time that words name; of several, the latest that has passed. */
function spokenPeriod(text: string, now: Date): Period | undefined {
  const found = SPOKEN.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { clock, second = "", zone = "+0" } = found;
  const [hour = "", minute] = clockOf(found);
  const [offset = "", more = "00"] = zone.slice(1).split(":");
  const zoned = `${zone[0]}${offset.padStart(2, "0")}:${more}`;
  const at = (day: number | undefined) =>
    day === undefined
      ? undefined
      : timeOf(
          `${new Date(day).toISOString().slice(0, 10)}T${hour.padStart(2, "0")}:${minute}${second}${zoned}`,
        );
  const days = daysOf(found, now);
  const starts = days.flatMap((day) => at(day) ?? []);
  const start = starts.find((one) => one <= now.getTime()) ?? starts[0];
  if (start === undefined || (clock === undefined && days.length === 0)) return undefined;
  return { start, end: start + (second ? SECOND : clock ? MINUTE : DAY_MS) };
}

/** The hour and minute of a time of day; no time has the hour of "13 pm". */
function clockOf({ clock = "0:00", half }: Readonly<Record<string, string | undefined>>) {
  const [typed = "", minute = "00"] = clock.toLowerCase().split(":");
  const hour = typed === "noon" ? "12" : typed === "midnight" ? "0" : typed;
  if (half === undefined) return [hour, minute];
  const isHour = Number(hour) >= 1 && Number(hour) <= 12;
  const afternoon = half.toLowerCase() === "pm" ? 12 : 0;
  return [isHour ? String((Number(hour) % 12) + afternoon) : "99", minute];
}

/** The part of a day that a text names with no exact beginning, and the nearest time that has one. */
const PARTS = [
  ["morning", "6:00"],
  ["afternoon", "noon"],
  ["evening", "18:00"],
  ["night", "22:00"],
] as const;

/** The advice on a time that is not accepted: the nearest one that is, and where help has all. */
export function timeAdvice(text: string): string {
  const typed = text.toLowerCase();
  const [, clock] = PARTS.find(([part]) => typed.includes(part)) ?? [];
  const isYesterday = /yesterday|last (?:night|evening|afternoon)/u.test(typed);
  const weekday = WEEKDAYS.find((day) => typed.includes(day.slice(0, 3)));
  const day = weekday ?? (isYesterday ? "yesterday" : "today");
  const near = clock === undefined ? "" : `Did you mean "${day} ${clock}" (UTC)? `;
  return `${near}amp help times lists all forms, such as 2h, 3 days, 9:00, monday and 21 Nov.`;
}

/** The days that words may mean, in UTC, the latest first. */
function daysOf(
  found: Readonly<Record<string, string | undefined>>,
  now: Date,
): readonly (number | undefined)[] {
  const { iso, day = found.day2 ?? found.day3, year, word, last, clock } = found;
  const { month = found.month2 ?? found.month3 } = found;
  if (iso) return [timeOf(iso)];
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  if (day !== undefined && month !== undefined) {
    const named = MONTHS.findIndex(
      (name) => name.toLowerCase() === month.slice(0, 3).toLowerCase(),
    );
    const at = found.month3 ?? String(named + 1);
    const of = (inYear: number) =>
      timeOf(`${inYear}-${at.padStart(2, "0")}-${day.padStart(2, "0")}`);
    const current = now.getUTCFullYear();
    return year ? [of(Number(year))] : [of(current), of(current - 1)];
  }
  const named = word?.toLowerCase();
  if (named === undefined) return clock === undefined ? [] : [today, today - DAY_MS];
  if (named === "today") return [today];
  if (named === "yesterday") return [today - DAY_MS];
  const weekday = WEEKDAYS.findIndex((name) => named === name || named === name.slice(0, 3));
  if (weekday < 0) return [];
  const back = (now.getUTCDay() - weekday + 7) % 7 || (last ? 7 : 0);
  return [today - back * DAY_MS, today - (back + 7) * DAY_MS];
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
  if (local === undefined || isUtc(local.zone)) return `${utcDay} ${utcTime} UTC`;
  const utc = local.day === utcDay ? utcTime : `${utcDay} ${utcTime}`;
  return `${local.day} ${local.time} ${local.zone} (${utc} UTC)`;
}

/** A moment as the clocks of a zone other than UTC show it: `10:45 GMT+2`. */
export function localClockText(time: string, timeZone: string): string | undefined {
  const local = localParts(new Date(timeOf(time) ?? Number.NaN), timeZone);
  return local === undefined || isUtc(local.zone) ? undefined : `${local.time} ${local.zone}`;
}

function isUtc(zone: string): boolean {
  return /^(?:GMT|UTC)(?:[+-]0)?$/u.test(zone);
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
  const [start, end] = [timeOf(from), timeOf(to)];
  return start === undefined || end === undefined ? undefined : end - start;
}

/**
 * A time for people, with its weekday and zone, and the year where it is not that of `now`:
 * "Wed 18 Nov 09:15 UTC".
 */
export function shortTimeText(time: string, now: Date): string {
  const start = timeOf(time);
  if (start === undefined) return time;
  const at = new Date(start);
  const year = at.getUTCFullYear() === now.getUTCFullYear() ? "" : ` ${at.getUTCFullYear()}`;
  const weekday = capitalised(WEEKDAYS[at.getUTCDay()]?.slice(0, 3) ?? "");
  const clock = at.toISOString().slice(11, 16);
  return `${weekday} ${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}${year} ${clock} UTC`;
}

/** How long ago a time was: "3 days", "1 day 6 h"; undefined for a time to come, as of another clock. */
export function sinceText(time: string, now: Date): string | undefined {
  const ms = millisecondsBetween(time, now.toISOString()) ?? -1;
  if (ms < 0) return undefined;
  if (ms >= 2 * DAY_MS) return counted(Math.floor(ms / DAY_MS), "day");
  if (ms >= DAY_MS) return parts("1 day", Math.floor(ms / AGO.h) - 24, "h");
  if (ms >= 2 * AGO.h) return counted(Math.floor(ms / AGO.h), "hour");
  return counted(Math.floor(ms / MINUTE), "minute");
}
