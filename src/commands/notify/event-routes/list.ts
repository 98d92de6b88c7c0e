import { EVENT_TYPES } from "../../../api/catalogue/events.ts";
import { defineCommand, id, table, text, time } from "../../../cli/define.ts";
import { listForDisplay } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { suggest } from "../../../values/suggested-command.ts";

export default defineCommand({
  options: {
    topicId: text("only the routes to this topic", { placeholder: "id" }),
    event: text("only the routes of this event type", {
      placeholder: "event",
      suggestions: EVENT_TYPES,
      wire: "eventType",
    }),
  },
  needs: ["project"],
  examples: [
    "amp notify event-routes list",
    "amp notify event-routes list --event connection.error --json",
  ],
  run: ({ api, project, options }) =>
    listForDisplay({ api, project }, "event-route", {
      topicId: options.topicId,
      eventType: options.event,
    }),
  view: table<LiveRecord>(
    ["event route", "event routes"],
    {
      Event: "eventType",
      Topic: ({ topicId }) => id(topicId),
      Created: ({ createTime }) => time(createTime),
      ID: (route) => id(route.id),
    },
    { next: suggest("notify topics list"), whenEmpty: suggest("notify setup") },
  ),
});
