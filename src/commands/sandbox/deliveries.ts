import type { DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import { defineCommand, flag, table, text } from "../../cli/define.ts";
import {
  ATTEMPT_COLUMNS,
  ATTEMPT_FIELDS,
  deliveriesOf,
  followDeliveries,
  SPARE_COLUMNS,
} from "../../trigger/deliveries.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Each attempt to deliver a message, the oldest first: the last 1,000. A message that failed is attempted again at the time shown; not sent means that there is nothing to send to, such as a URL on another machine. With --follow, shows further attempts until you press Ctrl-C.",
  options: {
    destination: text("only attempts at this destination", { placeholder: "name" }),
    follow: flag("show new attempts as they are made"),
  },
  needs: ["project"],
  examples: [
    "amp sandbox deliveries",
    "amp sandbox deliveries --destination ops-webhook --follow",
    "amp sandbox deliveries --json --filter outcome=failed",
  ],
  fields: ATTEMPT_FIELDS,
  run: async (context) => {
    const { options, project, signal } = context;
    const query = { project, destination: options.destination };
    if (!options.follow) return deliveriesOf(context, query);
    return followDeliveries(context, query, { signal });
  },
  view: table<DeliveryAttempt>(["attempt", "attempts"], ATTEMPT_COLUMNS, {
    id: ({ messageId }) => messageId,
    spare: SPARE_COLUMNS,
    growing: true,
    whenEmpty: suggest("trigger", ["connection.error"]),
  }),
});
