import { defineCommand, record, text } from "../../cli/define.ts";
import { appliedIds, applyPage, resultRows } from "../../notify/pages/apply.ts";
import { undoExit, undoRun } from "../../notify/undo.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { acceptOf, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Shows a plan, asks for confirmation, then deletes what the run created and nobody else uses. What the run updated or deleted stays: apply the earlier file to restore it. amp names what it leaves, and ends with exit code 9 (a part) or 5 (everything). After any failure, run the command again.",
  args: {
    run: text("ID of the run, as shown by amp notify state history (default: the last one)"),
  },
  options: {
    accept: acceptOf(["references"]),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: ["amp notify undo", "amp notify undo r7 --dry-run"],
  fields: RESULT_FIELDS.receipt,
  exits: {
    check: "applied, but duplicates exist",
    conflict: "nothing of it can be undone, or the state is locked",
    partial: "a part of it cannot be undone, or an outcome is unknown",
    "not-found": "the state has no such run",
  },
  run: (context) => undoRun(context, context.args.run, context.options),
  exit: undoExit,
  view: record(
    (result) => applyPage(result, result.warnings.length > 0 ? "Partial undo" : "Undo"),
    appliedIds,
    resultRows,
  ),
});
