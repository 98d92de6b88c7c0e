import { defineCommand, flag, lines, required, text } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { editState } from "../../notify/edit-state.ts";
import { resolvePending } from "../../notify/state/edit.ts";
import { stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Records what you found at the service after an unknown outcome: the ID of the resource, or that it was not created. Nothing is changed at the service.",
  args: { address: required(text("address that apply reported")) },
  options: {
    id: text("ID of the resource, if it exists", { placeholder: "id" }),
    notCreated: flag("the resource does not exist; the next apply creates it"),
    ...stateOptions,
  },
  needs: ["project"],
  examples: [
    "amp notify resolve event-route/lifecycle/connection.error --id evr_60b3cc76",
    "amp notify resolve event-route/lifecycle/connection.error --not-created",
  ],
  fields: ["address", "id"],
  run: async (context) => {
    const { address } = context.args;
    const { id, notCreated } = context.options;
    if ((id === undefined) === !notCreated) {
      throw new UsageError("Use either --id or --not-created");
    }
    const resolution = id === undefined ? "not-created" : { id };
    await editState(context, context.options, (state, now) =>
      resolvePending(state, address, resolution, now),
    );
    return { address, ...(id === undefined ? {} : { id }) };
  },
  view: lines<{ address: string; id?: string }>(
    ({ address, id }) =>
      id
        ? `Added ${address} to the state with ID ${id}`
        : `Recorded that ${address} was not created`,
    ({ id }) => id ?? "",
  ),
});
