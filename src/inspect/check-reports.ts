import { type JunitCase, junitXml } from "../reports/junit.ts";
import { sarifJson } from "../reports/sarif.ts";
import { findingText, verdictText } from "./check-page.ts";
import type { InstallationsCheck } from "./installations-check.ts";

/** The kinds of reports of a check, each with its text. */
export const CHECK_REPORTS = {
  junit: junitText,
  sarif: sarifText,
} as const satisfies Readonly<Record<string, (check: InstallationsCheck) => Promise<string>>>;

const RULE = "installations.check";
/** GitHub shows ten annotations of a step. */
const MAX_ANNOTATIONS = 10;

/** The texts that are shown beside the job of a check that failed: the verdict first. */
export function annotationTexts(check: InstallationsCheck): string[] {
  if (check.passed) return [];
  return [verdictText(check), ...check.installations.map(findingText)].slice(0, MAX_ANNOTATIONS);
}

/** A test case for each installation that was found, or one that passes. */
function junitText(check: InstallationsCheck): Promise<string> {
  const { passed, project, installations } = check;
  const found = installations.map((one): JunitCase => {
    const text = findingText(one);
    const testCase = { className: `amp.${RULE}`, name: text };
    return passed ? { ...testCase, output: text } : { ...testCase, failure: { text, type: RULE } };
  });
  const whole: JunitCase = { className: `amp.${RULE}`, name: verdictText(check) };
  const cases = passed ? [whole, ...found] : found;
  return junitXml({ name: `amp installations check of ${project}`, cases });
}

/** SARIF 2.1.0, with a result for each installation that was found. */
function sarifText({
  passed,
  project,
  filters,
  max,
  installations,
}: InstallationsCheck): Promise<string> {
  const severity = "error";
  const title = `At most ${max} installations have ${filters.join(" and ")}`;
  const remedy = "Inspect each with amp installations get.";
  const found = passed ? [] : installations;
  return sarifJson(
    [{ id: RULE, severity, title, remedy }],
    found.map((one) => ({ rule: RULE, severity, text: findingText(one) })),
    `projects/${project}/installations`,
  );
}
