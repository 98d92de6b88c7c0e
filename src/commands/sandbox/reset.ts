import { defineCommand } from "../../cli/define.ts";
import { act } from "../../events/sandbox-control.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { actedView } from "./acted-view.ts";

export default defineCommand({
  description:
    "Brings back the data with which the sandbox started, for example between tests: without events, faults and pauses, and with the clock set back.",
  effect: "write",
  examples: ["amp sandbox reset --profile sandbox"],
  fields: RESULT_FIELDS.acted,
  run: (context) => act(context, "reset", {}),
  view: actedView("Sandbox reset"),
});
