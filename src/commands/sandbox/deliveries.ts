import type { DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import { defineCommand, flag, table, text } from "../../cli/define.ts";
import { NotFoundError } from "../../errors.ts";
import { type Asking, deliveriesOf, followDeliveries } from "../../events/deliveries.ts";
import { attemptColumns } from "../../events/page.ts";
import { findResource } from "../../notify/find-resource.ts";
import { listResources } from "../../notify/model/operations.ts";
import type { Asker } from "../../questions/find.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    'Lists the last 1,000 delivery attempts, oldest first. A failed message is sent again at the time shown; the outcome "not sent" means that the sandbox does not deliver to this destination, for example to a URL on another machine. --limit 10 shows the last 10. With --follow, shows new attempts until you press Ctrl-C or the reader of a pipe has ended.',
  options: {
    destination: text("show only attempts to deliver to this destination", {
      placeholder: "name",
      complete: "destination",
    }),
    follow: flag("show new attempts as they are made"),
  },
  needs: ["project"],
  examples: [
    "amp sandbox deliveries",
    "amp sandbox deliveries --destination ops-webhook --follow",
    "amp sandbox deliveries --json --filter outcome=failed",
  ],
  fields: RESULT_FIELDS.shownAttempt,
  run: async (context) => {
    const { options, project } = context;
    const { destination: wanted } = options;
    const destination = wanted === undefined ? undefined : await destinationId(context, wanted);
    const query = { project, destination };
    return options.follow ? followDeliveries(context, query) : deliveriesOf(context, query);
  },
  view: table<DeliveryAttempt>(["attempt", "attempts"], attemptColumns(), {
    id: ({ messageId }) => messageId,
    growing: true,
    kept: ["Event", "Result", "Destination", "Attempt"],
    // A terminal shows only the beginning of each ID.
    next: "For the full IDs, add --output id.",
    whenEmpty: suggest("trigger", ["connection.error"]),
  }),
});

/**
 * The ID of the destination that a text means.
 * @throws {NotFoundError} where there is none, with the nearest ones
 */
async function destinationId(
  context: Asker & Asking & { readonly project: string },
  wanted: string,
): Promise<string> {
  const search = {
    argument: "--destination",
    list: suggest("notify destinations list"),
    again: (name: string) => suggest("sandbox deliveries", [], { destination: name }),
  };
  const listed = { destination: await listResources(context, "destination") };
  try {
    return (await findResource("destination", wanted, listed, search, context)).id;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // One that was deleted still has its attempts.
    const attempts = await deliveriesOf(context, { project: context.project, destination: wanted });
    if (attempts.length === 0) throw error;
    return wanted;
  }
}
