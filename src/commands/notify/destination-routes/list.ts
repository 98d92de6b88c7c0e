import { listDestinationRoutes } from "../../../api/operations/endpoints.ts";
import type { DestinationRoute } from "../../../api/schemas/notification.ts";
import { defineCommand, id, table, text, time } from "../../../cli/define.ts";

export default defineCommand({
  options: {
    topicId: text("only the routes of this topic", { placeholder: "id" }),
    destinationId: text("only the routes to this destination", { placeholder: "id" }),
  },
  needs: ["project"],
  examples: [
    "amp notify destination-routes list",
    "amp notify destination-routes list --topic-id t_09aa --json",
  ],
  run: ({ api, project, options }) =>
    api.list(listDestinationRoutes, { path: { projectIdOrName: project }, query: options }),
  view: table<DestinationRoute>(
    ["destination route", "destination routes"],
    {
      Topic: ({ topicId }) => id(topicId),
      Destination: ({ destinationId }) => id(destinationId),
      Created: ({ createTime }) => time(createTime),
      ID: (route) => id(route.id),
    },
    { next: "amp notify destinations list", whenEmpty: "amp notify setup" },
  ),
});
