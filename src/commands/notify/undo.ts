import { defineCommand, record, required, text } from "../../cli/define.ts";
import { appliedIds, applyPage, resultRows } from "../../notify/pages/apply.ts";
import { undoExit, undoRun } from "../../notify/undo.ts";
import { choiceOptions, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Shows a plan, asks for confirmation, then deletes what the run created, restores what it updated, and creates what it deleted. Values that may be secret are not kept; amp reports what it cannot take back, and ends with exit code 9 (a part) or 5 (everything). If a later run changed the same resources, or added routes that use them, undo that one first (else exit code 5). After any failure, run the command again.",
  args: { run: required(text("ID of the run, as shown by amp notify state history")) },
  options: {
    breakReferences: choiceOptions.breakReferences,
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: ["amp notify undo r7", "amp notify undo r7 --dry-run"],
  fields: ["counts", "settled", "duplicates", "verified", "lists", "state", "warnings"],
  exits: {
    check: "applied, but duplicates exist",
    conflict: "nothing of it can be undone, a later run builds on it, or the state is locked",
    partial: "a part of it cannot be undone, or an outcome is unknown",
    "not-found": "the state has no such run",
  },
  run: (context) => undoRun(context, context.args.run, context.options),
  exit: undoExit,
  view: record(
    (result) =>
      applyPage(result, {
        done: result.warnings.length > 0 ? "Partial undo" : "Undo",
        plan: { subject: "This run", done: "undone" },
      }),
    appliedIds,
    resultRows,
  ),
});
