import { defineCommand, file, flag, record } from "../../cli/define.ts";
import { applyFile } from "../../notify/apply.ts";
import { appliedIds, applyExit, applyPage } from "../../notify/apply-result.ts";
import { resultRows } from "../../notify/pages/rows.ts";
import {
  choiceOptions,
  engineOptions,
  routingFile,
  secretOptions,
  stateOptions,
} from "./options.ts";

export default defineCommand({
  description:
    "Shows the plan, asks for confirmation, then updates what differs and creates what is missing. Each resource is created at most once; an unknown outcome is looked up before anything is sent again. Run it again after any failure.",
  options: {
    file: routingFile,
    ...secretOptions,
    plan: file(
      "apply this saved plan; needs no -f; refused if the state or the file has changed since",
      {
        placeholder: "plan",
      },
    ),
    ...engineOptions,
    ...choiceOptions,
    keepGoing: flag("apply what does not depend on a conflict, and end with exit code 9"),
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: [
    "amp notify apply -f routing.yaml",
    { note: "what plan --out saved", run: "amp notify apply --plan plan.json" },
    {
      note: "in CI, with state that outlives the runner",
      run: "amp notify apply -f routing.yaml --state gitlab --yes --json",
    },
  ],
  fields: [
    "counts",
    "settled",
    "duplicates",
    "verified",
    "lists",
    "conflicts",
    "notTried",
    "state",
    "warnings",
  ],
  exits: { check: "applied, but duplicates exist" },
  run: (context) => applyFile(context, context.options),
  exit: applyExit,
  view: record(applyPage, appliedIds, resultRows),
});
