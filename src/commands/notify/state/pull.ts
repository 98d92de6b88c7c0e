import { defineCommand } from "../../../cli/define.ts";
import { savedStateText } from "../../../notify/edit-state.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description: "Prints the saved state as JSON. It contains IDs and no secrets.",
  options: stateOptions,
  needs: ["project"],
  printsJson: true,
  examples: ["amp notify state pull > state.json", "amp notify state pull --state gitlab"],
  run: async (context) => context.write(await savedStateText(context, context.options)),
});
