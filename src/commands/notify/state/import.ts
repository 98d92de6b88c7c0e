import { defineCommand, lines, required, text } from "../../../cli/define.ts";
import type { ImportedResource } from "../../../documents/notify.ts";
import { importResource } from "../../../notify/edit-state.ts";
import { resourceText } from "../../../notify/pages/plan.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Records an existing resource so that apply does not create it. The ID must be in the list of the service; if the service has no list, the ID is not checked. Nothing is changed at the service.",
  args: {
    address: required(
      text("address, for example topic/lifecycle or event-route/lifecycle/connection.error"),
    ),
    id: required(text("ID of the resource at the service")),
  },
  options: stateOptions,
  needs: ["project"],
  // A script may type it at every command that changes something.
  takes: ["yes"],
  examples: ["amp notify state import topic/lifecycle top_3c7b34e4"],
  fields: RESULT_FIELDS.imported,
  run: (context) => importResource(context, context.options, context.args),
  view: lines<ImportedResource>(
    ({ address, id }) => `Added ${resourceText(address)} to the state with ID ${id}`,
    ({ id }) => id,
  ),
});
