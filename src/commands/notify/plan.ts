import { defineCommand, file, flag, needing, record } from "../../cli/define.ts";
import type { PlanDocument } from "../../documents/routing.ts";
import { applyCommand } from "../../notify/apply-source.ts";
import { DEFAULT_FILE } from "../../notify/file/read.ts";
import { applyExit, resultRows } from "../../notify/pages/apply.ts";
import { planPage } from "../../notify/pages/plan.ts";
import { isPending } from "../../notify/plan/plan.ts";
import { planFile } from "../../notify/plan-file.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { overwrite } from "../report-options.ts";
import { allowOfFile, choiceOptions, routingFile, stateOptions } from "./options.ts";

/** What differs, in words: what apply would change, and the routes that no file declares. */
function differencesOf({ items, unmanaged }: PlanDocument): string[] {
  return [
    ...items.filter(isPending).map(({ action, address }) => `${action} ${address}`),
    ...unmanaged.map(({ address }) => `unmanaged ${address}`),
  ];
}

export default defineCommand({
  description:
    "Compares the file with the state and the service's lists. It changes nothing and does not lock the state.",
  options: {
    file: routingFile,
    allow: allowOfFile,
    ...choiceOptions,
    exitCode: flag("exit with code 8 if there are pending changes"),
    strict: needing("exitCode", flag("also exit with code 8 if there are unmanaged routes")),
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
  exits: {
    check: "changes are pending (with --exit-code), or the file breaks its own require or forbid",
  },
  run: async (context) => {
    const plan = await planFile(context, context.options);
    const file = context.options.file ?? DEFAULT_FILE;
    for (const text of differencesOf(plan)) {
      context.report.annotation({ level: "warning", title: "notify plan", text, file, line: 1 });
    }
    return plan;
  },
  exit: (plan, { options }) => {
    const exit = applyExit(plan);
    if (typeof exit !== "string") {
      const { out } = options;
      return exit.setFacts({
        done: out === undefined ? "Nothing was sent." : `The plan was not saved as ${out}.`,
      });
    }
    const isDrift = plan.pending || (options.strict && plan.unmanaged.length > 0);
    return exit === "ok" && options.exitCode && isDrift ? "check" : exit;
  },
  reason: (plan) => {
    const found = differencesOf(plan);
    return `${counted(found.length, "difference")}: ${firstNames(found)}`;
  },
  next: (_plan, { options }) =>
    options.file === "-" ? undefined : applyCommand(options, options.out),
  view: record<PlanDocument>(
    planPage,
    ({ items }) => items.map(({ address }) => address),
    resultRows,
  ),
});
