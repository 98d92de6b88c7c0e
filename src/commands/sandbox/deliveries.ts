import { listDestinations } from "../../api/operations/endpoints.ts";
import type { DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import { defineCommand, flag, table, text } from "../../cli/define.ts";
import { type Asking, deliveriesOf, followDeliveries } from "../../events/deliveries.ts";
import { attemptColumns } from "../../events/page.ts";
import { type Asker, findByIdOrName } from "../../inspect/find.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    'Lists the last 1,000 delivery attempts, oldest first. A failed message is sent again at the time shown; the outcome "not sent" means that the sandbox does not deliver to this destination, for example to a URL on another machine. With --follow, shows new attempts until you press Ctrl-C.',
  options: {
    destination: text("show only attempts to deliver to this destination", { placeholder: "name" }),
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
    const { destination } = options;
    const query = { project, destination };
    const attempts = destination === undefined ? undefined : await deliveriesOf(context, query);
    // One that was deleted still has its attempts.
    if (destination !== undefined && attempts?.length === 0)
      await assertExists(context, destination);
    if (!options.follow) return attempts ?? deliveriesOf(context, query);
    return followDeliveries(context, query);
  },
  view: table<DeliveryAttempt>(["attempt", "attempts"], attemptColumns(), {
    id: ({ messageId }) => messageId,
    growing: true,
    // A terminal shows only the beginning of each ID.
    next: "For the full IDs, add --output id.",
    whenEmpty: suggest("trigger", ["connection.error"]),
  }),
});

/**
 * @throws {NotFoundError} where no destination has this ID or name, with the nearest ones
 */
async function assertExists(
  context: Asker & Asking & { readonly project: string },
  wanted: string,
): Promise<void> {
  const path = { projectIdOrName: context.project };
  const all = await context.api.call(listDestinations, { path });
  if (all.some(({ id, name }) => id === wanted || name === wanted)) return;
  const lookup = {
    noun: "destination",
    argument: "--destination",
    list: suggest("notify destinations list"),
    again: (name: string) => suggest("sandbox deliveries", [], { destination: name }),
    ids: ({ id }: (typeof all)[number]) => [id],
    names: ({ name }: (typeof all)[number]) => [name],
    describe: ({ id, type }: (typeof all)[number]) => ({ id, type }),
    exact: true,
  };
  await findByIdOrName(all, wanted, lookup, context);
}
