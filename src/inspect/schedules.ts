import { Cron } from "croner";
import cronstrue from "cronstrue";
import { localTimeText } from "../values/time.ts";

/** A schedule for people: what it means, and when it comes next. */
export interface ScheduleText {
  /** The schedule in words, for example `every 15 minutes`. */
  readonly words: string;
  /** When it comes next, in local time and UTC; null where no day fits. */
  readonly next: string | null;
}

/** No schedule is longer; one that is has another purpose. */
const MAX_LENGTH = 100;

/**
 * A cron expression in words; undefined for a text that is not one. The platform's are in UTC.
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
    return { words, next: next && localTimeText(next, timeZone) };
  } catch {
    // Both libraries throw errors of many kinds for what they cannot read.
    return undefined;
  }
}
