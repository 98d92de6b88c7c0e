import { defineCommand, flag, lines, required, text } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { editState } from "../../notify/edit-state.ts";
import { resolvePending } from "../../notify/state/edit.ts";
import { stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Ends an unknown outcome by the word of somebody who looked at the service: it exists under this ID, or it does not exist. Nothing is sent to the service.",
  args: { address: required(text("the address that apply named")) },
  options: {
    id: text("it exists, under this ID", { placeholder: "id" }),
    notCreated: flag("it does not exist; the next apply creates it"),
    ...stateOptions,
  },
  needs: ["project"],
  examples: [
    "amp notify resolve event-route/lifecycle/connection.error --id evr_60b3cc76",
    "amp notify resolve event-route/lifecycle/connection.error --not-created",
  ],
  run: async (context) => {
    const { address } = context.args;
    const { id, notCreated } = context.options;
    if ((id === undefined) === !notCreated) {
      throw new UsageError("Say either --id ID or --not-created");
    }
    const resolution = id === undefined ? "not-created" : { id };
    await editState(context, context.options, (state, now) =>
      resolvePending(state, address, resolution, now),
    );
    return { address, ...(id === undefined ? {} : { id }) };
  },
  view: lines<{ address: string; id?: string }>(
    ({ address, id }) => (id ? `${address} is known as ${id}` : `${address} was not created`),
    ({ id }) => id ?? "",
  ),
});
