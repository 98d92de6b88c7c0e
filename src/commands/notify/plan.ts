import { defineCommand, file, flag, needing, record } from "../../cli/define.ts";
import type { PlanDocument } from "../../documents/routing.ts";
import { applyCommand } from "../../notify/apply-source.ts";
import { applyExit, resultRows } from "../../notify/pages/apply.ts";
import { planPage } from "../../notify/pages/plan.ts";
import { isPending } from "../../notify/plan/plan.ts";
import { planFile } from "../../notify/plan-file.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { overwrite } from "../report-options.ts";
import { allowOfFile, choiceOptions, routingFile, stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Compares the file with the state and the service's lists. It changes nothing and does not lock the state.",
  options: {
    file: routingFile,
    allow: allowOfFile,
    ...choiceOptions,
    exitCode: flag("exit with code 8 if there are pending changes"),
    out: file("save the plan to this file, for apply --plan", {
      placeholder: "plan",
    }),
    overwrite: needing("out", overwrite),
    ...stateOptions,
  },
  needs: ["project"],
  examples: [
    "amp notify plan -f routing.yaml",
    { note: "in CI, as a check", run: "amp notify plan -f routing.yaml --exit-code --json" },
  ],
  fields: RESULT_FIELDS.plan,
  exits: { check: "changes are pending (with --exit-code)" },
  run: (context) => planFile(context, context.options),
  exit: (plan, { options }) => {
    const exit = applyExit(plan);
    if (typeof exit !== "string") {
      const { out } = options;
      return exit.setFacts({
        done: out === undefined ? "Nothing was sent." : `The plan was not saved as ${out}.`,
      });
    }
    return exit === "ok" && options.exitCode && plan.pending ? "check" : exit;
  },
  reason: ({ items }) => {
    const pending = items.filter(isPending);
    const changes = pending.map(({ action, address }) => `${action} ${address}`);
    return `${counted(pending.length, "change")} pending: ${firstNames(changes)}`;
  },
  next: (_plan, { options }) =>
    options.file === "-" ? undefined : applyCommand(options, options.out),
  view: record<PlanDocument>(
    planPage,
    ({ items }) => items.map(({ address }) => address),
    resultRows,
  ),
});
