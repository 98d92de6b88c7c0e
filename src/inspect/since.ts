import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { localTimeText, localTimeZone } from "../values/local-time.ts";
import { readPeriod, startOfNamedDay } from "../values/period.ts";

/**
 * The time that `--since` means, in milliseconds since 1970. Says of a day that is named which one it is.
 * @throws {UsageError} for anything but a time that has passed
 */
export function sinceTime(
  typed: string | undefined,
  { now: clock, report, environment }: Pick<CommandContext, "now" | "report" | "environment">,
): number | undefined {
  if (typed === undefined) return undefined;
  const [text, now] = [typed.trim(), clock()];
  const day = startOfNamedDay(text, now);
  const start = day ?? readPeriod(text, now)?.start;
  if (start === undefined || start > now.getTime()) {
    const problem = start === undefined ? "is not a time" : "is in the future";
    throw new UsageError(`--since: ${JSON.stringify(typed)} ${problem}`, {
      remedy:
        "Enter a time in the past, such as 2h, 7d, yesterday or monday, or a date such as 2026-09-01.",
      done: "Nothing was sent.",
    });
  }
  if (day !== undefined) {
    const zone = localTimeZone(environment.env);
    report.notice(`--since ${text}: from ${localTimeText(new Date(day), zone)}.`);
  }
  return start;
}
