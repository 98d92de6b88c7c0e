import { defineCommand, file, flag, record } from "../../cli/define.ts";
import { applyExit, planFile } from "../../notify/apply.ts";
import { type planJson, planPage } from "../../notify/pages/plan.ts";
import { engineOptions, fileOptions, progressOption, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Compares the file with the state and the service's lists. It changes nothing and takes no lock.",
  options: {
    ...fileOptions,
    prune: engineOptions.prune,
    recreate: engineOptions.recreate,
    exitCode: flag("exit 8 if there are pending changes"),
    out: file("save the plan to this file, for apply --plan; --yes overwrites an existing one", {
      placeholder: "plan",
    }),
    state: stateOptions.state,
    ...progressOption,
  },
  needs: ["project"],
  examples: [
    "amp notify plan -f routing.yaml",
    { note: "in CI, as a check", run: "amp notify plan -f routing.yaml --exit-code --json" },
  ],
  fields: [
    "pending",
    "prune",
    "recreate",
    "lists",
    "counts",
    "items",
    "secrets",
    "kept",
    "duplicates",
  ],
  exits: { check: "changes are pending (with --exit-code)" },
  run: (context) => planFile(context, context.options),
  exit: (plan, { options }) => {
    const exit = applyExit(plan);
    return exit === "ok" && options.exitCode && plan.pending ? "check" : exit;
  },
  view: record<ReturnType<typeof planJson>>(
    (plan) => planPage(plan, plan),
    ({ items }) => items.map(({ address }) => address).join("\n"),
  ),
});
