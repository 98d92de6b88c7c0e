import { defineCommand, lines, required, text } from "../../cli/define.ts";
import { editState } from "../../notify/edit-state.ts";
import { importRecord } from "../../notify/state/edit.ts";
import { stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Records an existing resource so that apply does not create it. Nothing is sent to the service.",
  args: {
    address: required(
      text("address, for example topic/lifecycle or event-route/lifecycle/connection.error"),
    ),
    id: required(text("ID of the resource at the service")),
  },
  options: stateOptions,
  needs: ["project"],
  examples: ["amp notify import topic/lifecycle top_3c7b34e4"],
  fields: ["address", "id"],
  run: async (context) => {
    const { address, id } = context.args;
    await editState(context, context.options, (state, now) =>
      importRecord(state, address, id, now),
    );
    return { address, id };
  },
  view: lines<{ address: string; id: string }>(
    ({ address, id }) => `Added ${address} to the state with ID ${id}`,
    ({ id }) => id,
  ),
});
