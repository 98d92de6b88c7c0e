import type { ExitName } from "../errors.ts";
import type { RuleFinding } from "../reports/reports.ts";
import { counted, firstNames } from "../values/counted.ts";
import { type Block, type Page, rowsOfItems, table, toned, type ViewRows } from "../view/view.ts";

interface ShownFinding extends RuleFinding {
  /** Where it is; empty where it has no place. */
  readonly place: string;
}

interface CheckedByRules {
  /** The subject of the check: "routing.yaml", "3 provider apps of project acme". */
  readonly what: string;
  /** The heading of the places: "Place and rule". */
  readonly places: string;
  readonly findings: readonly ShownFinding[];
  readonly errors: number;
  readonly warnings: number;
  /** The number of rules that were checked. */
  readonly rules: number;
  /** What else a reader should know although no rule is broken: "1 variable is not set here". */
  readonly beside?: string | undefined;
}

/** The page of a check: each finding with its place and what to do. */
export function findingsPage(result: CheckedByRules, more: readonly Block[] = []): Page {
  const { what, places, findings, errors, warnings, rules, beside } = result;
  const fine =
    beside === undefined ? toned("good", `No problems in ${what}`) : `${what}: ${beside}`;
  const counts = [counted(errors, "error"), counted(warnings, "warning")];
  return {
    title: findings.length === 0 ? fine : `Check of ${what}`,
    aside: [...(findings.length === 0 ? [] : counts), `${counted(rules, "rule")} checked`].join(
      ", ",
    ),
    blocks: [findingsGrid(findings, places), ...more],
  };
}

interface Findings<Finding> {
  readonly errors: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
}

/** How a check ends: not well for an error, and with `strict` for a warning. */
export function findingsExit({ errors, warnings }: Findings<unknown>, strict: boolean): ExitName {
  return errors + (strict ? warnings : 0) > 0 ? "check" : "ok";
}

/** The text of a check for `-o id`: where it found something, each once. */
export function findingsIds<Finding>(
  { findings }: Findings<Finding>,
  idOf: (finding: Finding) => string,
): readonly string[] {
  return [...new Set(findings.map(idOf))];
}

/** Why a check did not pass: its counts and the rules that were broken, in one sentence. */
export function findingsReason({
  errors,
  warnings,
  findings,
}: Findings<{ readonly rule: string }>): string {
  const counts = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return `${counts.join(" and ")}: ${firstNames(rules)}`;
}

/** A card for each finding on a terminal; one line in a pipe and in Markdown. */
function findingsGrid(findings: readonly ShownFinding[], places: string): Block {
  return {
    kind: "grid",
    cards: true,
    inRows: true,
    columns: ["Severity", "Problem", "Remedy", places],
    rows: findings.map(({ severity, message, remedy, place, rule }) => [
      severity,
      toned(severity === "error" ? "bad" : "attention", message),
      remedy,
      toned("dim", [place, rule].filter(Boolean).join("  ")),
    ]),
  };
}

/** The findings as rows for a program. */
export function findingRows(findings: readonly ShownFinding[]): ViewRows {
  return rowsOfItems(
    findings,
    table<ShownFinding>(
      ["finding", "findings"],
      {
        Severity: "severity",
        Problem: "message",
        Remedy: "remedy",
        Place: "place",
        Rule: "rule",
      },
      { id: ({ place }) => place },
    ),
  );
}
