import { defineCommand, lines, required, text } from "../../../cli/define.ts";
import { editState } from "../../../notify/edit-state.ts";
import { resourceText } from "../../../notify/pages/plan.ts";
import { forgetEntry } from "../../../notify/state/edit.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Removes a resource from the state. The resource stays at the service, which is not changed.",
  args: { address: required(text("address, for example topic/lifecycle")) },
  options: stateOptions,
  needs: ["project"],
  // A script may type it at every command that changes something.
  takes: ["yes"],
  examples: ["amp notify state forget topic/lifecycle"],
  fields: RESULT_FIELDS.forgotten,
  run: async (context) => {
    const { address } = context.args;
    await editState(context, context.options, (state) => forgetEntry(state, address));
    return { address };
  },
  view: lines<{ address: string }>(
    ({ address }) =>
      `Removed ${resourceText(address)} from the state; it still exists at the service`,
    ({ address }) => address,
  ),
});
