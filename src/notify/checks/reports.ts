import { isAbsolute, relative, resolve, sep } from "node:path";
import { version } from "../../runtime/version.ts";
import { safeJson } from "../../values/safe-data.ts";
import { visible } from "../graph/label.ts";
import { sourceText } from "../graph/load.ts";
import type { CheckFinding, CheckResult } from "./check.ts";

/** What a report needs beyond the result. */
export interface ReportFacts {
  /** The routing file as the reader of the report finds it; absent for a live routing. */
  readonly file?: string | undefined;
  /** Whether warnings fail the check, too. */
  readonly strict: boolean;
}

/** The kinds of reports, each with its text. */
export const REPORTS = {
  junit: junitText,
  sarif: sarifText,
} as const satisfies Readonly<
  Record<string, (result: CheckResult, facts: ReportFacts) => Promise<string>>
>;

/** A kind of report. */
export type ReportKind = keyof typeof REPORTS;

/**
 * The path of the file below the folder that reports are about: the checkout of the CI job, or else
 * the working folder. A file outside of it keeps its path.
 */
export function reportedPath(file: string, cwd: string, workspace: string | undefined): string {
  const path = relative(workspace || cwd, resolve(cwd, file));
  const isOutside = path.startsWith("..") || isAbsolute(path);
  return (isOutside ? file : path).split(sep).join("/");
}

/** JUnit's XML: a test case for each finding, and for each rule without one. */
async function junitText(result: CheckResult, { file, strict }: ReportFacts): Promise<string> {
  const { default: loaded } = await import("junit-report-builder");
  // Node passes the builder itself, a bundle the module that has it as its default.
  const builder = ("newBuilder" in loaded ? loaded : loaded.default) as typeof loaded.default;
  const report = builder.newBuilder();
  const suite = report.testSuite().name(visible(`amp notify check of ${sourceText(result)}`));
  const testCase = (rule: string, name: string) => {
    const made = suite.testCase().className(`amp.notify.check.${rule}`).name(visible(name));
    return file === undefined ? made : made.file(visible(file));
  };
  for (const finding of result.findings) {
    const { rule, severity, message, remedy } = finding;
    const made = testCase(rule, message);
    const text = visible(`${severity}: ${message} ${remedy}${placeText(finding, file)}`);
    if (severity === "error" || strict) made.failure(text, rule);
    else made.standardOutput(text);
  }
  const broken = new Set(result.findings.map(({ rule }) => rule));
  for (const { id, title } of result.rules) if (!broken.has(id)) testCase(id, title);
  for (const { rule, reason } of result.unchecked) testCase(rule, reason).skipped();
  return `${report.build()}\n`;
}

function placeText({ line, column }: CheckFinding, file: string | undefined): string {
  return file === undefined || line === undefined ? "" : ` (${file}:${line}:${column})`;
}

/** SARIF 2.1.0, which code scanning of GitHub and others read: with line and column of the file. */
async function sarifText(result: CheckResult, { file }: ReportFacts): Promise<string> {
  const { SarifBuilder, SarifResultBuilder, SarifRuleBuilder, SarifRunBuilder } = await import(
    "node-sarif-builder"
  );
  const run = new SarifRunBuilder({ columnKind: "utf16CodeUnits" }).initSimple({
    toolDriverName: "amp",
    toolDriverVersion: version,
  });
  for (const { id, severity, title, remedy } of result.rules) {
    run.addRule(
      new SarifRuleBuilder({
        id,
        shortDescription: { text: `${title}.` },
        help: { text: remedy },
        defaultConfiguration: { level: severity },
      }),
    );
  }
  for (const { rule, severity, message, remedy, line, column } of result.findings) {
    const found = new SarifResultBuilder();
    found.setRuleId(rule);
    found.setLevel(severity);
    found.setMessageText(visible(`${message} ${remedy}`));
    if (file !== undefined) {
      found.setLocationArtifactUri({ uri: uriOf(file) });
      // A finding about the command line has no place; readers of the format want one.
      found.setLocationRegion({ startLine: line ?? 1, startColumn: column ?? 1 });
    }
    run.addResult(found);
  }
  const log = new SarifBuilder();
  log.addRun(run);
  return `${safeJson(log.buildSarifJsonString({ indent: true }))}\n`;
}

function uriOf(path: string): string {
  const uri = path.split("/").map(encodeURIComponent).join("/");
  return isAbsolute(path) ? `file://${uri}` : uri;
}
