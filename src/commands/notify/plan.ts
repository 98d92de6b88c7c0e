import { defineCommand, flag, record, text } from "../../cli/define.ts";
import { planFile } from "../../notify/apply.ts";
import { type planJson, planPage } from "../../notify/pages/plan.ts";
import { engineOptions, fileOptions, stateOptions } from "./options.ts";

const { prune, recreate } = engineOptions;
const { state } = stateOptions;

export default defineCommand({
  description:
    "Reads the file, the state and what the service lists; changes nothing, and takes no lock.",
  options: {
    ...fileOptions,
    prune,
    recreate,
    exitCode: flag("exit 8 when changes are pending, or something stands in the way"),
    out: text("keep the plan in this file, for apply --plan; --yes replaces one that exists", {
      placeholder: "plan",
      complete: "file",
    }),
    state,
  },
  needs: ["project"],
  examples: [
    "amp notify plan -f routing.yaml",
    { note: "in CI, as a check", run: "amp notify plan -f routing.yaml --exit-code --json" },
  ],
  run: (context) => planFile(context, context.options),
  exit: ({ pending }, { options }) => (options.exitCode && pending ? "check" : "ok"),
  view: record<ReturnType<typeof planJson>>(
    (plan) => planPage(plan, plan),
    ({ items }) => items.map(({ address }) => address).join("\n"),
  ),
});
