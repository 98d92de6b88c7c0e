import { isAbsolute, relative, resolve, sep } from "node:path";
import type { RunEnvironment } from "../../context/command-context.ts";
import type { CheckFinding, CheckResult } from "../../documents/notify.ts";
import {
  codeQualityJson,
  countFindings,
  junitXml,
  ruleCases,
  sarifJson,
} from "../../reports/reports.ts";
import type { FileProblem } from "../file/issues.ts";
import { sourceText } from "../graph/load.ts";
import { ROUTING_RULES, type RuleId } from "./rules.ts";

/** What a report needs of a check, or of a plan. */
type ReportedResult = Omit<CheckResult, "errors" | "warnings">;

/** One routing, for a report about one or several. */
interface Reported {
  readonly result: ReportedResult;
  /** The routing file as the reader of the report finds it; absent for a live routing. */
  readonly file?: string | undefined;
}

/** The facts that a report needs beyond the results. */
interface ReportFacts {
  readonly command: "check" | "plan";
  /** Whether warnings fail, too. */
  readonly strict: boolean;
}

/** The kinds of reports, each with its text. */
export const REPORTS = {
  junit: (all, facts) => junitXml(...all.map((one) => junitSuite(one, facts))),
  sarif: sarifText,
  codequality: async (all) => codeQualityJson(placedFindings(all)),
} as const satisfies Readonly<
  Record<string, (all: readonly Reported[], facts: ReportFacts) => Promise<string>>
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

/** Results, with their files as the reader of a report finds them. */
export function reported(
  results: readonly ReportedResult[],
  { cwd, env }: Pick<RunEnvironment, "cwd" | "env">,
): readonly Reported[] {
  return results.map((result) => ({
    result,
    file: result.file && reportedPath(result.file, cwd, env.GITHUB_WORKSPACE),
  }));
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
  return {
    file,
    ...countFindings(findings),
    findings,
    rules: [VALID_FILE],
    unchecked: [],
  };
}

const VALID_FILE = {
  id: "valid-file",
  severity: "error",
  title: "The routing file is valid",
  remedy: "Correct the file; amp notify check -f checks it alone.",
} as const;

/** JUnit's XML: for each routing a test case for each finding, each rule without one, and each unchecked rule. */
function junitSuite({ result, file }: Reported, { command, strict }: ReportFacts) {
  const check = `amp.notify.${command}`;
  const wordsOf = (finding: CheckFinding) => ({
    name: finding.message,
    place: file && finding.line ? ` (${file}:${finding.line}:${finding.column})` : "",
  });
  const unchecked = result.unchecked.map(({ rule, reason }) => ({
    className: `${check}.${rule}`,
    name: ROUTING_RULES[rule as RuleId].title,
    skipped: true,
    output: `Not checked: ${reason}`,
  }));
  const cases = [...ruleCases(result, { check, strict, wordsOf }), ...unchecked];
  const name = `amp notify ${command} of ${sourceText(result)}`;
  return { name, cases: cases.map((one) => ({ ...one, file })) };
}

/**
 * SARIF 2.1.0, with line and column of the file; a live routing has a path that names its project.
 */
function sarifText(all: readonly Reported[]): Promise<string> {
  const rules = all.flatMap(({ result }) => result.rules);
  const unique = [...new Map(rules.map((rule) => [rule.id, rule])).values()];
  return sarifJson(unique, placedFindings(all));
}

function placedFindings(all: readonly Reported[]) {
  return all.flatMap(({ result, file: place = `projects/${result.project}/routing` }) =>
    result.findings.map(({ message, remedy, ...finding }) => ({
      ...finding,
      text: `${message} ${remedy}`.trim(),
      place,
    })),
  );
}
