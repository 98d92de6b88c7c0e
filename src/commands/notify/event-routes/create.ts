import { EVENT_TYPES } from "../../../api/catalogue/events.ts";
import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { eventWarnings } from "../../../notify/model/names.ts";
import { createResource } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { createdPage } from "../../../notify/pages/created.ts";
import { suggest } from "../../../values/suggested-command.ts";

export default defineCommand({
  description: "A topic receives an event only after such a route links the two.",
  options: {
    topicId: required(text("the topic that receives the event", { placeholder: "id" })),
    event: required(
      text("the event type; amp notify events lists them", {
        placeholder: "event",
        suggestions: EVENT_TYPES,
        wire: "eventType",
      }),
    ),
  },
  needs: ["project"],
  effect: "write",
  examples: ["amp notify event-routes create --topic-id t_09aa --event connection.error"],
  run: ({ api, project, options, report }) => {
    for (const warning of eventWarnings([options.event])) report.warn(warning);
    return createResource({ api, project }, "event-route", {
      topicId: options.topicId,
      eventType: options.event,
    });
  },
  view: record<LiveRecord>((route) =>
    createdPage(
      "event route",
      route,
      { Event: route.eventType, Topic: route.topicId },
      suggest("notify destination-routes create", [], {
        topicId: route.topicId || { placeholder: "id" },
        destinationId: { placeholder: "id" },
      }),
    ),
  ),
});
