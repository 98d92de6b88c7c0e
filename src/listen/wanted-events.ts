import { EVENT_TYPES, eventType } from "../api/catalogue/events.ts";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { DATA_MESSAGES, isDataMessage } from "../events/message.ts";
import { expandEvents } from "../notify/model/names.ts";
import { mistypedName, nearest } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";

/** The event types that a topic can have; all, if none are requested. */
export function routedEvents(events: readonly string[]): readonly string[] {
  if (events.length === 0) return EVENT_TYPES;
  return expandEvents(events.filter((event) => !isDataMessage(event)));
}

/**
 * Looks for event types that this version does not know, before anything is sent: a service refuses
 * a topic of an event type that it does not know when the destination has been made already, and a
 * listener of a mistyped one would wait in vain.
 * @throws {UsageError} for such an event type, unless `--yes` was given
 */
export function assertKnownEvents(
  {
    report,
    yes,
  }: Pick<CommandContext, "yes"> & { readonly report: Pick<CommandContext["report"], "warn"> },
  events: readonly string[],
): void {
  for (const event of events) {
    if (event.includes("*") || isDataMessage(event) || eventType(event) !== undefined) continue;
    const near = nearest(event, [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)]);
    const problem = `Unknown event type ${JSON.stringify(event)}`;
    if (yes) {
      report.warn(problem);
      continue;
    }
    const facts = { anyway: "add --yes", done: "Nothing was sent." };
    if (near !== undefined) throw mistypedName(problem, { ...facts, near });
    throw new UsageError(problem, {
      remedy: "To use this name anyway, add --yes.",
      done: facts.done,
      suggestion: suggest("notify events"),
    });
  }
}

/** The notice on data messages, which no topic routes. */
export function dataNotice(data: readonly string[], destination: string): string {
  return `${data.join(" and ")}: arrives only if the reads of an installation use ${destination} as their destination. To receive what they send now, set the URL of their current destination to this listener, and run amp listen --local with its secret.`;
}
