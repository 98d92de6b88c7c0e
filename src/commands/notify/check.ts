import {
  choice,
  defineCommand,
  flag,
  list,
  needing,
  note,
  type Page,
  type RunContext,
  record,
  row,
  rows,
  several,
  value,
} from "../../cli/define.ts";
import type { CheckResult, ChecksResult } from "../../documents/notify.ts";
import { AmpError } from "../../errors.ts";
import {
  findingRows,
  findingsExit,
  findingsIds,
  findingsPage,
  findingsReason,
} from "../../inspect/findings-page.ts";
import { findReferences } from "../../inspect/references.ts";
import { checkRouting } from "../../notify/checks/check.ts";
import type { REPORTS } from "../../notify/checks/reports.ts";
import { chosenRoutingRules, RULE_IDS, ruleOf } from "../../notify/checks/rules.ts";
import type { FileProblem } from "../../notify/file/issues.ts";
import { loadGraph, sourceText } from "../../notify/graph/load.ts";
import { eachFile, severalFiles, worstExit } from "../../notify/several.ts";
import { counted } from "../../values/counted.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { reportOptions, writeReports } from "../report-options.ts";
import { allowOfFile, fileInstead, readEvent, routingExits } from "./options.ts";

const { says, view } = severalFiles<ChecksResult["files"][number], CheckResult>(
  {
    columns: {
      Errors: ({ check }) => check?.errors,
      Warnings: ({ check }) => check?.warnings,
    },
    fine: "without problems",
    found: ({ check }) => (check && check.findings.length > 0 ? "with problems" : undefined),
    details: ({ check }) => check && { ...checkPage(check), title: findingsReason(check) },
  },
  record(
    checkPage,
    (result) => findingsIds(result, ({ rule }) => rule),
    (result) => findingRows(placed(result)),
  ),
);

export default defineCommand({
  description:
    "Checks the form of a routing file, the rules of amp and those of the file (require, forbid). With -f it needs no login or network access, and secrets need not be set. Without -f it checks the routing at the service, and that customers' reads name existing destinations. Exits with code 8 if it finds an error, or, with --strict, a warning.",
  options: {
    file: several(fileInstead),
    require: list(value("event types that must reach a destination", "event", readEvent)),
    rule: list(choice("check only these rules", RULE_IDS, { placeholder: "rule" })),
    skip: list(choice("do not check these rules", RULE_IDS, { placeholder: "rule" })),
    strict: flag("also exit with code 8 for warnings"),
    ...reportOptions("junit", "sarif", "codequality"),
    allow: needing("file", allowOfFile),
  },
  offlineWith: ["file"],
  examples: [
    "amp notify check",
    "amp notify check -f routing.yaml --require connection.error",
    {
      note: "in CI",
      run: "amp notify check -f routing.yaml --strict --report sarif=check.sarif --report junit=check.xml --overwrite",
    },
  ],
  fields: [...RESULT_FIELDS.check, ...RESULT_FIELDS.checks],
  exits: { ...routingExits, check: "an error, or with --strict a warning, was found" },
  run: async (context): Promise<CheckResult | ChecksResult> => {
    const { options, signal } = context;
    const rules = chosenRoutingRules(options);
    const found: CheckResult[] = [];
    const checkOne = async (file: string | undefined) => {
      const loaded = await loadGraph(context, { ...options, file }).catch(
        async (error: unknown) => {
          found.push(...(await invalidOf(file, error)));
          throw error;
        },
      );
      const isUsed = rules.some(({ id }) => ruleOf(id).reads !== undefined);
      const reads = isUsed ? await readsOf(context, loaded.source.project) : {};
      const check = await checkRouting(loaded, { ...options, ...reads }, signal);
      found.push(check);
      const { project } = loaded.content ?? {};
      return { result: { check }, project, exit: findingsExit(check, options.strict) };
    };
    const { file: files } = options;
    const publishAll = () => publish(context, found, options.strict);
    if (files.length < 2) return (await checkOne(files[0]).finally(publishAll)).result.check;
    return { files: await eachFile(signal, files, checkOne).finally(publishAll) };
  },
  exit: (result, { options }) =>
    "files" in result ? worstExit(result.files) : findingsExit(result, options.strict),
  passes: (result) =>
    ("files" in result ? result.files : [{ exit: 0, check: result }]).every(
      ({ exit, check }) =>
        exit === 0 && check?.findings.length === 0 && !check.fileWarnings?.length,
    ),
  reason: (result) => ("files" in result ? says(result) : findingsReason(result)),
  view,
});

function checkPage(result: CheckResult): Page {
  const {
    rules,
    unchecked,
    errors,
    warnings,
    file,
    fileWarnings = [],
    unavailableSecrets = [],
  } = result;
  // A file never contains the reads of customers, so this is not reported.
  const shown = file === undefined ? unchecked : [];
  return findingsPage(
    {
      what: sourceText(result),
      places: "Place and rule",
      findings: placed(result),
      errors,
      warnings,
      rules: rules.length,
      beside:
        fileWarnings.length > 0
          ? counted(fileWarnings.length, "warning")
          : unavailableSecrets.length > 0
            ? `${counted(unavailableSecrets.length, "secret")} not set here`
            : undefined,
    },
    [
      rows(shown.flatMap(({ rule, reason }) => row("Not checked", `${rule}: ${reason}`))),
      rows(row("Not set here", unavailableSecrets)),
      ...fileWarnings.flatMap((text) => note(text, "attention")),
    ],
  );
}

function placed({ findings, file }: CheckResult) {
  return findings.map(({ line, column, rule, ...one }) => {
    return { ...one, rule, place: line === undefined ? "" : `${file}:${line}:${column}` };
  });
}

type ReportKind = keyof typeof REPORTS;

/** Writes the reports, and an annotation for each finding where GitHub Actions reads them. */
async function publish(
  context: Pick<RunContext, "environment"> & Parameters<typeof writeReports<ReportKind>>[0],
  results: readonly CheckResult[],
  strict: boolean,
): Promise<void> {
  if (results.length === 0) return;
  const reports = await import("../../notify/checks/reports.ts");
  const all = reports.reported(results, context.environment);
  await writeReports(context, (kind) => reports.REPORTS[kind](all, { command: "check", strict }));
  for (const { result, file } of all) {
    for (const { severity, rule, message, remedy, line, column } of result.findings) {
      context.report.annotation({
        level: severity,
        title: rule,
        text: `${message} ${remedy}`.trim(),
        file,
        // What the file does not contain, such as an event of --require, is marked at its beginning.
        line: line ?? (file === undefined ? undefined : 1),
        column,
      });
    }
  }
}

/** The mistakes of a file that is not valid, or that it cannot be read, for reports and annotations. */
async function invalidOf(file: string | undefined, error: unknown): Promise<CheckResult[]> {
  if (file === undefined || !(error instanceof AmpError)) return [];
  const { problems } = error.facts.data ?? {};
  // A file that cannot be read has no lines.
  const found = Array.isArray(problems)
    ? (problems as readonly FileProblem[])
    : [{ message: error.message }];
  const { invalidResult } = await import("../../notify/checks/reports.ts");
  return [invalidResult(file, found)];
}

/** The reads of a project's customers, or why they are not known; none for a file. */
async function readsOf(
  { api, report }: Pick<Parameters<typeof findReferences>[0], "api" | "report">,
  project: string | undefined,
) {
  if (project === undefined) return {};
  const found = await findReferences({ api, report, project });
  return { reads: found.checked ? found.reads : found.why };
}
