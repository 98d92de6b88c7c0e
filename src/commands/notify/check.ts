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
  value,
} from "../../cli/define.ts";
import type { CheckResult } from "../../documents/notify.ts";
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
import { chosenRoutingRules, RULE_IDS, usesReads } from "../../notify/checks/rules.ts";
import type { FileProblem } from "../../notify/file/issues.ts";
import { loadGraph, sourceText } from "../../notify/graph/load.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { reportOptions, writeReports } from "../report-options.ts";
import { allowOfFile, fileInstead, readEvent, routingExits } from "./options.ts";

export default defineCommand({
  description:
    "Checks the form of a routing file, the rules of amp and those of the file (require, forbid). With -f it needs no login or network access, and secrets need not be set. Without -f it checks the routing at the service, and that customers' reads name existing destinations. Exits with code 8 if it finds an error, or, with --strict, a warning.",
  options: {
    file: fileInstead,
    require: list(value("event types that must reach a destination", "event", readEvent)),
    rule: list(choice("check only these rules", RULE_IDS, { placeholder: "rule" })),
    skip: list(choice("do not check these rules", RULE_IDS, { placeholder: "rule" })),
    strict: flag("also exit with code 8 for warnings"),
    ...reportOptions("junit", "sarif"),
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
  fields: RESULT_FIELDS.check,
  exits: { ...routingExits, check: "an error, or with --strict a warning, was found" },
  run: async (context): Promise<CheckResult> => {
    const { options } = context;
    const rules = chosenRoutingRules(options);
    const loaded = await loadGraph(context, options).catch(async (error: unknown) => {
      await publishInvalid(context, error);
      throw error;
    });
    const isUsed = rules.some(({ id }) => usesReads(id));
    const reads = isUsed ? await readsOf(context, loaded.source.project) : {};
    const result = await checkRouting(loaded, { ...options, ...reads }, context.signal);
    await publish(context, result);
    return result;
  },
  exit: (result, { options }) => findingsExit(result, options.strict),
  reason: findingsReason,
  view: record<CheckResult>(
    checkPage,
    (result) => findingsIds(result, ({ rule }) => rule),
    (result) => findingRows(placed(result)),
  ),
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

interface Publishing extends Pick<RunContext, "files" | "report" | "environment"> {
  readonly options: {
    readonly report: readonly (readonly ["junit" | "sarif", string])[];
    readonly overwrite: boolean;
    readonly strict: boolean;
  };
}

/** Writes the reports, and an annotation for each finding where GitHub Actions reads them. */
async function publish(
  { files, report, environment, options }: Publishing,
  result: CheckResult,
): Promise<void> {
  const { cwd, env } = environment;
  const { REPORTS, reportedPath } = await import("../../notify/checks/reports.ts");
  const file = result.file && reportedPath(result.file, cwd, env.GITHUB_WORKSPACE);
  const facts = { file, strict: options.strict };
  await writeReports({ files, report, options }, (kind) => REPORTS[kind](result, facts));
  for (const { severity, rule, message, remedy, line, column } of result.findings) {
    report.annotation({
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

/**
 * Writes the mistakes of a file that is not valid, or that it cannot be read, to the reports, and
 * as annotations.
 */
async function publishInvalid(
  context: Publishing & { readonly options: { readonly file?: string | undefined } },
  error: unknown,
): Promise<void> {
  const { file } = context.options;
  if (file === undefined || !(error instanceof AmpError)) return;
  const { problems } = error.facts.data ?? {};
  // A file that cannot be read has no lines.
  const found = Array.isArray(problems)
    ? (problems as readonly FileProblem[])
    : [{ message: error.message }];
  const { invalidResult } = await import("../../notify/checks/reports.ts");
  await publish(context, invalidResult(file, found));
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
