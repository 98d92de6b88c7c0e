import { UsageError } from "../../../errors.ts";
import { eventProblem, eventWarnings, expandEvents } from "../../../notify/model/names.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { createCommand } from "../resource-commands.ts";

/**
 * @throws {UsageError} for a text that is not one event type: the service would take it as a name.
 */
function assertOneEvent(typed: string): void {
  const means = expandEvents([typed]);
  const isOne = means.length === 1 && means[0] === typed;
  const problem = eventProblem(typed) ?? (isOne ? undefined : "means several event types");
  if (problem === undefined) return;
  const events = typed.split(/[\s,]+/u).filter((one) => eventProblem(one) === undefined);
  throw new UsageError(`--event: ${JSON.stringify(typed)} ${problem}`, {
    remedy: "A route has one event type. amp notify setup creates routes for several.",
    suggestion: suggest("notify setup", [], { event: events.length > 0 ? events : "all" }),
  });
}

export default createCommand("event-route", {
  description: "A topic receives an event type only if a route connects them.",
  examples: ["amp notify event-routes create --topic-id t_09aa --event connection.error"],
  check: ({ eventType = "" }) => {
    assertOneEvent(eventType);
    return eventWarnings([eventType]);
  },
  next: ({ topicId }) =>
    suggest("notify destination-routes create", [], {
      topicId: topicId || { placeholder: "id" },
      destinationId: { placeholder: "id" },
    }),
});
