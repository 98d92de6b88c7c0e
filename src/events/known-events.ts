import { EVENT_TYPES } from "../api/catalogue/events.ts";
import { eventMistake, refuseMistakes } from "../api/catalogue/mistakes.ts";
import type { CommandContext } from "../context/command-context.ts";
import { asList } from "../values/basics.ts";
import { DATA_MESSAGES, isDataMessage } from "./message/payloads.ts";

/** The names that a message may have: event types, and the data messages. */
export const MESSAGE_NAMES: readonly string[] = [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)];

/**
 * Looks for event types that amp does not know, before anything is sent: a service refuses a topic
 * of one when its destination was created already, and a listener for a mistyped one waits in vain.
 * @param allow the words of `--allow`
 * @throws {UsageError} for one that is nearly a known one
 */
export function assertKnownEvents(
  { report }: { readonly report: Pick<CommandContext["report"], "warn"> },
  events: readonly string[],
  allow: readonly string[],
): void {
  const mistakes = events
    .filter((event) => !event.includes("*") && !isDataMessage(event))
    .flatMap((event) => asList(eventMistake(event, MESSAGE_NAMES)));
  refuseMistakes(mistakes, allow, report.warn);
}
