import { choice, defineCommand, inputFile, record } from "../../cli/define.ts";
import { applyFile } from "../../notify/apply.ts";
import { appliedIds, applyExit, applyPage, resultRows } from "../../notify/pages/apply.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { allowOfFile, choiceOptions, routingFile, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Shows the plan, asks for confirmation, then updates resources that differ and creates missing ones. Each resource is created at most once; an unknown outcome is looked up before anything is sent again. After any failure, run the command again. Without a terminal, --yes needs -f.",
  options: {
    file: routingFile,
    allow: allowOfFile,
    plan: inputFile(
      "apply this saved plan of the file, with the options that it was made with; refused if anything has changed since",
      {
        placeholder: "plan",
      },
    ),
    progress: choice(
      "write events, warnings and errors to stderr as one JSON document per line",
      ["json"],
      { placeholder: "format" },
    ),
    ...choiceOptions,
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: [
    "amp notify apply -f routing.yaml",
    {
      note: "a plan saved with plan --out",
      run: "amp notify apply -f routing.yaml --plan plan.json",
    },
    {
      note: "in CI, with the state stored outside the runner",
      run: "amp notify apply -f routing.yaml --state gitlab --yes --json",
    },
  ],
  fields: RESULT_FIELDS.receipt,
  exits: { check: "applied, but duplicates exist; or the file breaks its own require or forbid" },
  run: (context) => applyFile(context, context.options),
  exit: applyExit,
  view: record(applyPage, appliedIds, resultRows),
});
