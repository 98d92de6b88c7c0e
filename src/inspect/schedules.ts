import { Cron } from "croner";
import cronstrue from "cronstrue";

/** A schedule for people: what it means, and when it comes next. */
export interface ScheduleText {
  /** The schedule in words, for example `every 15 minutes`. */
  readonly words: string;
  /** When it comes next, in local time and UTC; `never` where no day fits. */
  readonly next: string;
}

/** No schedule is longer; one that is has another purpose. */
const MAX_LENGTH = 100;

/**
 * A cron expression in words; undefined for a text that is not one. The platform's schedules are
 * in UTC.
 * @param timeZone the IANA name of the local time zone
 */
export function scheduleText(
  expression: string,
  now: Date,
  timeZone: string,
): ScheduleText | undefined {
  if (expression.length > MAX_LENGTH) return undefined;
  try {
    const sentence = cronstrue.toString(expression, { use24HourTimeFormat: true });
    const next = new Cron(expression, { timezone: "UTC", paused: true }).nextRun(now);
    const words = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
    return { words, next: next === null ? "never" : localTimeText(next, timeZone) };
  } catch {
    // Both libraries throw errors of many kinds for what they cannot read.
    return undefined;
  }
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

/** A moment in a time zone; undefined for a zone that is not known. */
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
