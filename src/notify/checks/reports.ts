import { isAbsolute, relative, resolve, sep } from "node:path";
import { type JunitCase, junitXml } from "../../reports/junit.ts";
import { sarifJson } from "../../reports/sarif.ts";
import type { FileProblem } from "../file/issues.ts";
import { sourceText } from "../graph/load.ts";
import { type CheckFinding, type CheckResult, ruleFacts } from "./check.ts";

/** The facts that a report needs beyond the result. */
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

/**
 * The path of the file below the folder that reports are about: the checkout of the CI job, or else
 * the working folder. A file outside of it keeps its path.
 */
export function reportedPath(file: string, cwd: string, workspace: string | undefined): string {
  const path = relative(workspace || cwd, resolve(cwd, file));
  const isOutside = path.startsWith("..") || isAbsolute(path);
  return (isOutside ? file : path).split(sep).join("/");
}

/** The result of a check of a file that is not valid: no rule was checked. */
export function invalidResult(
  file: string,
  problems: readonly (Partial<FileProblem> & Pick<FileProblem, "message">)[],
): CheckResult {
  const findings = problems.map(
    (problem): CheckFinding => ({
      remedy: "",
      ...problem,
      rule: "valid-file",
      severity: problem.severity ?? "error",
    }),
  );
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return {
    file,
    errors,
    warnings: findings.length - errors,
    findings,
    unchecked: [],
    rules: [{ ...VALID_FILE, severity: "error" }],
  };
}

const VALID_FILE = {
  id: "valid-file",
  title: "The routing file is valid",
  remedy: "Correct the file; amp notify validate checks it alone.",
} as const;

/** JUnit's XML: a test case for each finding, and for each rule without one. */
function junitText(result: CheckResult, { file, strict }: ReportFacts): Promise<string> {
  const testCase = (rule: string, name: string) => ({
    className: `amp.notify.check.${rule}`,
    name,
    file,
  });
  const found = result.findings.map((finding): JunitCase => {
    const { rule, severity, message, remedy } = finding;
    const text = `${severity}: ${message} ${remedy}${placeText(finding, file)}`;
    const fails = severity === "error" || strict;
    return {
      ...testCase(rule, message),
      ...(fails ? { failure: { text, type: rule } } : { output: text }),
    };
  });
  const broken = new Set(result.findings.map(({ rule }) => rule));
  const cases = [
    ...found,
    ...result.rules.flatMap(({ id, title }) => (broken.has(id) ? [] : testCase(id, title))),
    ...result.unchecked.flatMap(({ rule, reason }) =>
      ruleFacts([rule]).map(({ title }) => ({
        ...testCase(rule, title),
        skipped: true,
        output: `Not checked: ${reason}`,
      })),
    ),
  ];
  return junitXml({ name: `amp notify check of ${sourceText(result)}`, cases });
}

function placeText({ line, column }: CheckFinding, file: string | undefined): string {
  return file === undefined || line === undefined ? "" : ` (${file}:${line}:${column})`;
}

/** SARIF 2.1.0, with line and column of the file; a live routing has a path that names its project. */
function sarifText(result: CheckResult, { file }: ReportFacts): Promise<string> {
  const findings = result.findings.map(({ message, remedy, ...finding }) => ({
    ...finding,
    text: `${message} ${remedy}`.trim(),
  }));
  return sarifJson(result.rules, findings, file ?? `projects/${result.project}/routing`);
}
