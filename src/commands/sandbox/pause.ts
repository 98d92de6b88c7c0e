import { defineCommand, required, text } from "../../cli/define.ts";
import { act } from "../../events/sandbox-control.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { actedView } from "./acted-view.ts";

export default defineCommand({
  description: "Messages to the destination wait until amp sandbox resume.",
  args: {
    destination: required(text("name or ID of the destination", { complete: "destination" })),
  },
  effect: "write",
  examples: ["amp sandbox pause ops-webhook --profile sandbox"],
  fields: RESULT_FIELDS.acted,
  run: (context) => act(context, "pause", { destination: context.args.destination, paused: true }),
  view: actedView("Destination paused"),
});
