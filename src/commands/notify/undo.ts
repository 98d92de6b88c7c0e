import { defineCommand, record, required, text } from "../../cli/define.ts";
import { appliedIds, applyExit, applyPage } from "../../notify/apply-result.ts";
import { resultRows } from "../../notify/pages/rows.ts";
import { undoRun } from "../../notify/undo.ts";
import { choiceOptions, engineOptions, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Shows a plan that goes back, asks for confirmation, then deletes what the run created, restores what it updated, and creates what it deleted. Values that may be secret are not kept: amp says what cannot be restored. A run is refused (exit 5) while a later one has changed the same. Run the command again after any failure.",
  args: { run: required(text("ID of the run, as amp notify history shows it")) },
  options: {
    breakReferences: choiceOptions.breakReferences,
    ...engineOptions,
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: ["amp notify undo r7", "amp notify undo r7 --dry-run"],
  fields: ["counts", "settled", "duplicates", "verified", "lists", "state", "warnings"],
  exits: { check: "applied, but duplicates exist", "not-found": "the state has no such run" },
  run: (context) => undoRun(context, context.args.run, context.options),
  exit: applyExit,
  view: record((result) => applyPage(result, { done: "Undo" }), appliedIds, resultRows),
});
