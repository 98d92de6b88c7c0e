import { eventWarnings } from "../../../notify/model/names.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { createCommand } from "../resource-commands.ts";

export default createCommand("event-route", {
  description: "A topic receives an event only after such a route links the two.",
  examples: ["amp notify event-routes create --topic-id t_09aa --event connection.error"],
  list: suggest("notify event-routes list"),
  check: ({ eventType = "" }) => eventWarnings([eventType]),
  next: ({ topicId }) =>
    suggest("notify destination-routes create", [], {
      topicId: topicId || { placeholder: "id" },
      destinationId: { placeholder: "id" },
    }),
});
