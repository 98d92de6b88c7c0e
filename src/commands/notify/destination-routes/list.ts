import { defineCommand, id, table, text, time } from "../../../cli/define.ts";
import { listForDisplay } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { suggest } from "../../../values/suggested-command.ts";

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
    listForDisplay({ api, project }, "destination-route", options),
  view: table<LiveRecord>(
    ["destination route", "destination routes"],
    {
      Topic: ({ topicId }) => id(topicId),
      Destination: ({ destinationId }) => id(destinationId),
      Created: ({ createTime }) => time(createTime),
      ID: (route) => id(route.id),
    },
    { next: suggest("notify destinations list"), whenEmpty: suggest("notify setup") },
  ),
});
