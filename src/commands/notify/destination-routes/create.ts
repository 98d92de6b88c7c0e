import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { createResource } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { createdPage } from "../../../notify/pages/created.ts";
import { suggest } from "../../../values/suggested-command.ts";

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
    createResource({ api, project }, "destination-route", options),
  view: record<LiveRecord>((route) =>
    createdPage(
      "destination route",
      route,
      { Topic: route.topicId, Destination: route.destinationId },
      suggest("notify destination-routes list"),
    ),
  ),
});
