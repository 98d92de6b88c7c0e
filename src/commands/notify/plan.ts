import { defineCommand, file, flag, needing, record, several } from "../../cli/define.ts";
import type { PlanDocument, PlansDocument } from "../../documents/routing.ts";
import type { AmpError, ExitName } from "../../errors.ts";
import { applyCommand } from "../../notify/apply-source.ts";
import { DEFAULT_FILE } from "../../notify/file/read.ts";
import { applyExit, resultRows } from "../../notify/pages/apply.ts";
import { planPage } from "../../notify/pages/plan.ts";
import { isBlocker } from "../../notify/plan/conflicts.ts";
import { isPending } from "../../notify/plan/plan.ts";
import { planFile } from "../../notify/plan-file.ts";
import { eachFile, severalFiles, worstExit } from "../../notify/several.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { commandErrors } from "../errors.ts";
import { overwrite } from "../report-options.ts";
import { allowOfFile, choiceOptions, routingFile, stateOptions } from "./options.ts";

/** What differs, in words: what apply would change, and the routes that no file declares. */
function differencesOf({ items, unmanaged }: PlanDocument): string[] {
  return [
    ...items.filter(isPending).map(({ action, address }) => `${action} ${address}`),
    ...unmanaged.map(({ address }) => `unmanaged ${address}`),
  ];
}

/** How the plan of a file ends. */
function exitOf(
  plan: PlanDocument,
  { out, exitCode, strict }: { out?: string | undefined; exitCode: boolean; strict: boolean },
): ExitName | AmpError {
  const exit = applyExit(plan);
  if (typeof exit !== "string") {
    return exit.setFacts({
      done: out === undefined ? "Nothing was sent." : `The plan was not saved as ${out}.`,
    });
  }
  const isDrift = plan.pending || (strict && plan.unmanaged.length > 0);
  return exit === "ok" && exitCode && isDrift ? "check" : exit;
}

const { says, view } = severalFiles<PlansDocument["files"][number], PlanDocument>(
  {
    columns: {
      "+": ({ plan }) => plan?.counts.create,
      "~": ({ plan }) => plan?.counts.update,
      "-": ({ plan }) => plan?.counts.delete,
      Conflicts: ({ plan }) => plan?.items.filter(isBlocker).length,
    },
    fine: "in sync",
    found: ({ plan }) => {
      if (plan === undefined || differencesOf(plan).length === 0) return undefined;
      return plan.items.some(isBlocker) ? "in conflict" : "to change";
    },
    details: ({ plan }) => plan && planPage(plan),
  },
  record(planPage, ({ items }) => items.map(({ address }) => address), resultRows),
);

export default defineCommand({
  description:
    "Compares the file with the state and the service's lists. It changes nothing and does not lock the state.",
  options: {
    file: several(routingFile),
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
    { note: "several files", run: "amp notify plan -f ops.yaml -f data.yaml --exit-code" },
  ],
  fields: [...RESULT_FIELDS.plan, ...RESULT_FIELDS.plans],
  exits: {
    check: "changes are pending (with --exit-code), or the file breaks its own require or forbid",
  },
  run: async (context): Promise<PlanDocument | PlansDocument> => {
    const { options, report, signal, project } = context;
    const planOne = async (path: string | undefined) => {
      const plan = await planFile(context, { ...options, file: path });
      const file = path ?? DEFAULT_FILE;
      for (const text of differencesOf(plan)) {
        report.annotation({ level: "warning", title: "notify plan", text, file, line: 1 });
      }
      return plan;
    };
    if (options.file.length < 2) return planOne(options.file[0]);
    if (options.out !== undefined) throw commandErrors.out_of_several();
    const files = await eachFile(signal, options.file, async (path) => {
      const plan = await planOne(path);
      return { result: { plan }, project, exit: exitOf(plan, options) };
    });
    return { files };
  },
  exit: (result, { options }) =>
    "files" in result ? worstExit(result.files) : exitOf(result, options),
  reason: (result) => {
    if ("files" in result) return says(result);
    const found = differencesOf(result);
    return `${counted(found.length, "difference")}: ${firstNames(found)}`;
  },
  next: (_plan, { options: { file, ...options } }) =>
    file.length > 1 || file[0] === "-"
      ? undefined
      : applyCommand({ ...options, file: file[0] }, options.out),
  view,
});
