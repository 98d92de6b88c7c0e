import { defineCommand, record, text } from "../../cli/define.ts";
import { appliedIds, applyFile, applyPage } from "../../notify/apply.ts";
import { engineOptions, fileOptions, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Shows the plan and asks, then creates what is missing. At most one create per thing and run; an unknown outcome is never retried blindly; no silent duplicate, no lost id. Run it again after whatever went wrong.",
  options: {
    ...fileOptions,
    plan: text("apply this saved plan; refused when state or file moved since", {
      placeholder: "plan",
      complete: "file",
    }),
    ...engineOptions,
    ...stateOptions,
  },
  needs: ["project"],
  effect: "write",
  dryRun: "own",
  examples: [
    "amp notify apply -f routing.yaml",
    {
      note: "in CI, with state that outlives the runner",
      run: "amp notify apply -f routing.yaml --state gitlab --yes --json",
    },
  ],
  run: (context) => applyFile(context, context.options),
  view: record(applyPage, appliedIds),
});
