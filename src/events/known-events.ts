import { EVENT_TYPES, eventType } from "../api/catalogue/events.ts";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { mistypedName, nearest } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { DATA_MESSAGES, isDataMessage } from "./message/payloads.ts";

/** The names that a message may have: event types, and the data messages. */
export const MESSAGE_NAMES: readonly string[] = [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)];

/**
 * Looks for event types that amp does not know, before anything is sent: a service refuses a topic
 * of one when its destination was created already, and a listener for a mistyped one waits in vain.
 * @param options `mayBeNew`: one that is like no known one is taken, since the platform's list grows
 * @throws {UsageError} for such an event type, unless `--yes` was given
 */
export function assertKnownEvents(
  {
    report,
    yes,
  }: Pick<CommandContext, "yes"> & { readonly report: Pick<CommandContext["report"], "warn"> },
  events: readonly string[],
  { mayBeNew, done }: { readonly mayBeNew?: true; readonly done: string },
): void {
  for (const event of events) {
    if (event.includes("*") || isDataMessage(event) || eventType(event) !== undefined) continue;
    const near = nearest(event, MESSAGE_NAMES);
    const problem = `Unknown event type ${JSON.stringify(event)}`;
    if (yes || (mayBeNew && near === undefined)) report.warn(problem);
    else if (near !== undefined) throw mistypedName(problem, { near, anyway: "add --yes", done });
    else {
      throw new UsageError(problem, {
        remedy: "To use this name anyway, add --yes.",
        done,
        suggestion: suggest("notify events"),
      });
    }
  }
}
