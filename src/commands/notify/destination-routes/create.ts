import { createDestinationRoute } from "../../../api/operations/endpoints.ts";
import type { DestinationRoute } from "../../../api/schemas/notification.ts";
import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { createdPage } from "../../../notify/pages/created.ts";

export default defineCommand({
  description: "A destination receives a topic's notifications only after such a route links them.",
  options: {
    topicId: required(text("the topic that notifications come from", { placeholder: "id" })),
    destinationId: required(text("the destination that receives them", { placeholder: "id" })),
  },
  needs: ["project"],
  effect: "write",
  examples: ["amp notify destination-routes create --topic-id t_09aa --destination-id d_41c7"],
  run: ({ api, project, options }) =>
    api.call(createDestinationRoute, { path: { projectIdOrName: project }, body: options }),
  view: record<DestinationRoute>((route) =>
    createdPage(
      "destination route",
      route,
      { Topic: route.topicId, Destination: route.destinationId },
      "amp notify destination-routes list",
    ),
  ),
});
