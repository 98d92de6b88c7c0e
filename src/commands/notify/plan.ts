import { defineCommand, file, flag, needing, record, several } from "../../cli/define.ts";
import type { CheckedRule } from "../../documents/parts.ts";
import type { PlanDocument, PlansDocument } from "../../documents/routing.ts";
import { AmpError, type ExitName } from "../../errors.ts";
import { applyCommand, planFile } from "../../notify/apply.ts";
import type { reported } from "../../notify/checks/reports.ts";
import { DEFAULT_FILE } from "../../notify/file/read.ts";
import { applyExit, resultRows } from "../../notify/pages/apply.ts";
import { planPage } from "../../notify/pages/plan.ts";
import { isBlocker } from "../../notify/plan/conflicts.ts";
import { itemNeedsApply } from "../../notify/plan/plan.ts";
import { eachFile, severalFiles, worstExit } from "../../notify/several.ts";
import { redactSecrets } from "../../secrets/secret.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { commandErrors } from "../errors.ts";
import { overwrite, reportOptions, writeReports } from "../report-options.ts";
import { allowOfFile, choiceOptions, routingFile, stateOptions } from "./options.ts";

type ReportedResult = Parameters<typeof reported>[0][number];

/** What differs: what apply would change, and the routes that no file declares. */
function differencesOf({ items, unmanaged }: PlanDocument) {
  return [
    ...items.filter(itemNeedsApply).map(({ action, address }) => ({
      rule: action === "conflict" ? "conflict" : "pending-change",
      message: `${action} ${address}`,
    })),
    ...unmanaged.map(({ address }) => ({
      rule: "unmanaged-route",
      message: `unmanaged ${address}`,
    })),
  ];
}

/** What differs as the findings of a report; what decides the exit code is an error. */
function reportOf(
  file: string,
  plan: PlanDocument | AmpError,
  { exitCode, strict }: { readonly exitCode: boolean; readonly strict: boolean },
): ReportedResult {
  const rules = [
    ["planned", true, "The file can be planned", ""],
    ["conflict", true, "The plan has no conflicts", "Resolve the conflict."],
    ["pending-change", exitCode, "The service has what the file declares", "Apply the file."],
    ["unmanaged-route", exitCode && strict, "Each route is declared", "Declare it, or delete it."],
  ] as const;
  const checked = rules.map(([id, isError, title, remedy]): CheckedRule => {
    return { id, severity: isError ? "error" : "warning", title, remedy };
  });
  const found =
    plan instanceof AmpError
      ? [{ rule: "planned", message: redactSecrets(plan.message) }]
      : differencesOf(plan);
  const findings = found.map(({ rule, message }) => {
    const { severity = "error", remedy = "" } = checked.find(({ id }) => id === rule) ?? {};
    return { rule, severity, message, remedy };
  });
  const isPlanned = !(plan instanceof AmpError);
  const shown = checked.filter(({ id }) => isPlanned || id === "planned");
  return { file, findings, rules: shown, unchecked: [] };
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
      Conflicts: ({ plan }) => plan?.counts.conflict,
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
    report: reportOptions("junit", "sarif", "codequality").report,
    overwrite,
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
    const reports: ReportedResult[] = [];
    const planOne = async (path: string | undefined) => {
      const file = path ?? DEFAULT_FILE;
      const planning = planFile(context, { ...options, file: path });
      const plan = await planning.catch((error: unknown) => {
        if (error instanceof AmpError) reports.push(reportOf(file, error, options));
        throw error;
      });
      reports.push(reportOf(file, plan, options));
      if (differencesOf(plan).length > 0) {
        const text = String(planPage(plan).title);
        report.annotation({ level: "warning", title: "notify plan", text, file, line: 1 });
      }
      return plan;
    };
    const save = async () => {
      if (options.report.length === 0) return;
      const written = await import("../../notify/checks/reports.ts");
      const all = written.reported(reports, context.environment);
      const facts = { command: "plan", strict: false } as const;
      await writeReports(context, (kind) => written.REPORTS[kind](all, facts));
    };
    if (options.file.length < 2) return planOne(options.file[0]).finally(save);
    if (options.out !== undefined) throw commandErrors.out_of_several();
    const files = eachFile(signal, options.file, async (path) => {
      const plan = await planOne(path);
      return { result: { plan }, project, exit: exitOf(plan, options) };
    });
    return { files: await files.finally(save) };
  },
  exit: (result, { options }) =>
    "files" in result ? worstExit(result.files) : exitOf(result, options),
  reason: (result) => {
    if ("files" in result) return says(result);
    const found = differencesOf(result).map(({ message }) => message);
    return `${counted(found.length, "difference")}: ${firstNames(found)}`;
  },
  next: (result, { options: { file, ...options } }) =>
    "files" in result || file[0] === "-" || !result.pending
      ? undefined
      : applyCommand({ ...options, file: file[0] }, options.out),
  view,
});
