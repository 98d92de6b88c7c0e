import { EVENT_TYPES } from "../../../api/catalogue/events.ts";
import { eventMistake, refuseMistakes } from "../../../api/catalogue/mistakes.ts";
import { defineCommand, type RunContext, record, required } from "../../../cli/define.ts";
import { createNamed } from "../../../notify/create.ts";
import { asRoute, routeKind, withIds } from "../../../notify/find-resource.ts";
import { eventProblem, expandEvents, notEmpty } from "../../../notify/model/names.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { createdPage } from "../../../notify/resource-page.ts";
import { openState, readState } from "../../../notify/state/open-backend.ts";
import { asList } from "../../../values/basics.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { commandErrors } from "../../errors.ts";
import { allowOf } from "../../report-options.ts";
import { stateOptions } from "../options.ts";
import { routeMeant, routeOptions } from "./options.ts";

/**
 * @throws {UsageError} for a text that is not one event type: the service would take it as a name.
 */
function assertOneEvent(typed: string): void {
  const means = expandEvents([typed]);
  const isOne = means.length === 1 && means[0] === typed;
  const problem = eventProblem(typed) ?? (isOne ? undefined : "means several event types");
  if (problem === undefined) return;
  const events = typed.split(/[\s,]+/u).filter((one) => eventProblem(one) === undefined);
  throw commandErrors.event_not_one(typed, problem, events.length > 0 ? events : "all");
}

/** Asks on a terminal for the event or the destination of the route, if neither was typed. */
async function withEnd({
  options,
  interactive,
  prompt,
}: Pick<RunContext, "interactive" | "prompt"> & {
  readonly options: Parameters<typeof routeMeant>[0];
}): Promise<Parameters<typeof routeMeant>[0]> {
  const { topic, event, destination } = options;
  if (!interactive || event !== undefined || destination !== undefined) return options;
  const isEvent = await prompt.select({
    message: "Route",
    flag: "--event or --destination",
    choices: [
      { value: true, label: "Event", note: "which the topic receives" },
      { value: false, label: "Destination", note: "which receives what the topic does" },
    ],
  });
  if (!isEvent) {
    const message = "Destination, by name or ID";
    return {
      topic,
      destination: await prompt.input({ message, flag: "--destination", check: notEmpty }),
    };
  }
  const choices = EVENT_TYPES.map((value) => ({ value, label: value }));
  return {
    topic,
    event: await prompt.select({
      message: "Event type",
      flag: "--event",
      choices,
      isSearched: true,
    }),
  };
}

export default defineCommand({
  description:
    "With --event, the topic receives the event type. With --destination, the destination receives what the topic does. Exactly one of them is required.",
  options: {
    ...routeOptions,
    topic: required(routeOptions.topic),
    allow: allowOf(["unknown"]),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  examples: [
    "amp notify routes create --topic lifecycle --event connection.error",
    "amp notify routes create --topic lifecycle --destination ops",
  ],
  fields: RESULT_FIELDS.route,
  run: async (context) => {
    const typed = await withEnd(context);
    const { event } = typed;
    const { fields, kinds } = routeMeant(typed);
    const [kind] = kinds;
    if (event !== undefined) {
      assertOneEvent(event);
      refuseMistakes(asList(eventMistake(event)), context.options.allow, context.report.warn);
    }
    const saved = await readState(await openState(context, context.options));
    const body = await withIds(context, kind, fields, saved?.state);
    const created = await createNamed(context, kind, body, { ...context.options, typed: fields });
    return asRoute(kind, created);
  },
  view: record<LiveRecord>((created) => {
    const kind = routeKind(created);
    const next =
      kind === "event-route"
        ? suggest("notify routes create", [], {
            topic: created.topicId || { placeholder: "topic" },
            destination: { placeholder: "destination" },
          })
        : suggest("notify routes list");
    return createdPage(kind, created, next);
  }),
});
