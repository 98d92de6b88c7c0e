import { type JunitCase, junitXml, sarifJson } from "../reports/reports.ts";
import { counted } from "../values/counted.ts";
import { timeOf } from "../values/period.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  type Block,
  type Cell,
  id,
  nextBlock,
  type Page,
  row,
  rows,
  rowsOfItems,
  table,
  time,
  toned,
  type ViewRows,
  valueText,
} from "../view/view.ts";
import type { FoundInstallation, InstallationsCheck } from "./installations-check.ts";

/** The rows that a terminal shows: more would hide what they are about. */
const ON_TERMINAL = 20;

/** The page of a check: the verdict, and the installations that it found. */
export function checkPage(check: InstallationsCheck): Page {
  const { passed, searched, integration, groupRef, project, installations } = check;
  const grid = gridOf(installations);
  const [first] = installations;
  const blocks: Block[] = [
    rows([
      ...row("Project", project),
      ...row("Integration", integration),
      ...row("Group ref", groupRef),
      ...row("Searched", searched),
    ]),
    ...(installations.length === 0 ? [] : [grid]),
    ...(installations.length > ON_TERMINAL
      ? [
          {
            kind: "text",
            text: `Only the first ${ON_TERMINAL} are shown; --json lists all.`,
            onTerminal: true,
          } as const,
        ]
      : []),
    ...(first && !passed ? [nextBlock(suggest("installations get", [first.id]))] : []),
  ];
  return { title: toned(passed ? "good" : "bad", verdictText(check)), blocks };
}

/** The verdict: `3 installations with health=unhealthy, 0 are allowed`. */
export function verdictText({ found, max, filters }: InstallationsCheck): string {
  const what = counted(found, "installation");
  return `${what} with ${filters.join(" and ")}, at most ${max} allowed`;
}

function gridOf(installations: readonly FoundInstallation[]): Block {
  const [first] = installations;
  const names = Object.keys(first?.values ?? {});
  const all = installations.map((one): Cell[] => [
    one.group,
    ...names.map((name) => {
      const text = textOf(one.values[name]);
      return timeOf(text) === undefined ? text : time(text);
    }),
    id(one.id),
  ]);
  const columns = ["Group", ...names, "ID"];
  return { kind: "grid", columns, rows: all, onTerminal: all.slice(0, ON_TERMINAL), inRows: true };
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : valueText(value);
}

/** The installations as rows, for CSV and a pipe. */
export function checkRows({ installations, filters }: InstallationsCheck): ViewRows {
  return rowsOfItems(
    installations,
    table<FoundInstallation>(["installation", "installations"], {
      Group: ({ group }) => group,
      [filters.join(" ")]: ({ values }) =>
        Object.values(values)
          .map((one) => textOf(one) ?? "")
          .join(" "),
      ID: (one) => id(one.id),
    }),
  );
}

/** One installation in a sentence: `Acme (ins_1): health unhealthy`. */
export function findingText({ id, group, values }: FoundInstallation): string {
  const states = Object.entries(values).map(
    ([name, value]) => `${name} ${textOf(value) ?? "empty"}`,
  );
  const who = group === undefined ? id : `${group} (${id})`;
  return `${who}: ${states.join(", ")}`;
}

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
