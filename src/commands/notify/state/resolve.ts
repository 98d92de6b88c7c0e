import { defineCommand, flag, lines, required, text } from "../../../cli/define.ts";
import type { ResolvedOutcome } from "../../../documents/notify.ts";
import { resolveOutcome } from "../../../notify/edit-state.ts";
import { resourceText } from "../../../notify/pages/plan.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { commandErrors } from "../../errors.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Records what you found at the service after an unknown outcome: the ID of the resource, or that it was not created. The ID must be in the list of the service; if the service has no list, the ID is not checked. Nothing is changed at the service.",
  args: { address: required(text("address that apply reported")) },
  options: {
    id: text("ID of the resource, if it exists", { placeholder: "id" }),
    notCreated: flag("the resource does not exist; the next apply creates it"),
    ...stateOptions,
  },
  needs: ["project"],
  // A script may type it at every command that changes something.
  takes: ["yes"],
  examples: [
    "amp notify state resolve event-route/lifecycle/connection.error --id evr_60b3cc76",
    "amp notify state resolve event-route/lifecycle/connection.error --not-created",
  ],
  fields: RESULT_FIELDS.resolved,
  run: async (context) => {
    const { address } = context.args;
    const { id, notCreated } = context.options;
    if ((id === undefined) === !notCreated) throw commandErrors.resolve_choice();
    return resolveOutcome(context, context.options, { address, id });
  },
  view: lines<ResolvedOutcome>(
    ({ address, id }) =>
      id
        ? `Added ${resourceText(address)} to the state with ID ${id}`
        : `Recorded that ${resourceText(address)} was not created`,
    ({ id }) => id ?? "",
  ),
});
