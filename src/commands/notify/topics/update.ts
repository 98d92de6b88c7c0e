import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { appliedIds, applyExit, applyPage, resultRows } from "../../../notify/pages/apply.ts";
import { updateNamed } from "../../../notify/update.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description: "Shows the old and the new name, asks for confirmation, and sends only the change.",
  args: { topic: required(text("topic name or ID", { complete: "topic" })) },
  options: {
    name: required(text("new name: up to 64 letters, digits and dashes", { placeholder: "name" })),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: ["amp notify topics update lifecycle --name customer-lifecycle"],
  fields: RESULT_FIELDS.receipt,
  exits: { conflict: "the name is taken, or another run holds the lock" },
  run: (context) => {
    const { args, options } = context;
    return updateNamed(context, "topic", args.topic, { name: options.name }, options);
  },
  exit: applyExit,
  view: record(applyPage, appliedIds, resultRows),
});
