import { defineCommand, duration, required } from "../../cli/define.ts";
import { act } from "../../events/sandbox-control.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { actedView } from "./acted-view.ts";

export default defineCommand({
  description:
    "Sets the clock of the sandbox forward. Attempts to deliver that are due meanwhile are made, each at its own time.",
  args: { duration: required(duration("how far, such as 5m or 10h")) },
  effect: "write",
  examples: ["amp sandbox forward 1h --profile sandbox"],
  fields: RESULT_FIELDS.acted,
  run: (context) => act(context, "clock", { forward: `${context.args.duration}ms` }),
  view: actedView("Clock set forward"),
});
