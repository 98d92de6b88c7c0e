import { EVENT_TYPES } from "../../../api/catalogue/events.ts";
import { listEventRoutes } from "../../../api/operations/endpoints.ts";
import type { EventRoute } from "../../../api/schemas/notification.ts";
import { defineCommand, id, table, text, time } from "../../../cli/define.ts";

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
    api.list(listEventRoutes, {
      path: { projectIdOrName: project },
      query: { topicId: options.topicId, eventType: options.event },
    }),
  view: table<EventRoute>(
    ["event route", "event routes"],
    {
      Event: "eventType",
      Topic: ({ topicId }) => id(topicId),
      Created: ({ createTime }) => time(createTime),
      ID: (route) => id(route.id),
    },
    { next: "amp notify topics list", whenEmpty: "amp notify setup" },
  ),
});
