import type { ExitName } from "../errors.ts";
import type { RuleFacts, RuleFinding } from "../reports/reports.ts";
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
}

/** The page of a check: each finding with its place and what to do. */
export function findingsPage(result: CheckedByRules, more: readonly Block[] = []): Page {
  const { what, places, findings, errors, warnings, rules } = result;
  const counts = [counted(errors, "error"), counted(warnings, "warning")];
  return {
    title: findings.length === 0 ? toned("good", `No problems in ${what}`) : `Check of ${what}`,
    aside: [...(findings.length === 0 ? [] : counts), `${counted(rules, "rule")} checked`].join(
      ", ",
    ),
    blocks: [...(findings.length === 0 ? [] : [findingsGrid(findings, places)]), ...more],
  };
}

/** What a check found, or its rules alone, for `--list-rules`. */
type CheckOrRules<Finding> =
  | {
      readonly errors: number;
      readonly warnings: number;
      readonly findings: readonly Finding[];
    }
  | { readonly rules: readonly { readonly id: string }[] };

/** How a check ends: not well for an error, and with `strict` for a warning. */
export function findingsExit(result: CheckOrRules<unknown>, strict: boolean): ExitName {
  if (!("findings" in result)) return "ok";
  return result.errors + (strict ? result.warnings : 0) > 0 ? "check" : "ok";
}

/** The text of a check for `-o id`: where it found something, each once, or its rules. */
export function findingsIds<Finding>(
  result: CheckOrRules<Finding>,
  idOf: (finding: Finding) => string,
): readonly string[] {
  if ("findings" in result) return [...new Set(result.findings.map(idOf))];
  return result.rules.map(({ id }) => id);
}

/** Why a check did not pass: its counts and the rules that were broken, in one sentence. */
export function findingsReason(result: CheckOrRules<{ readonly rule: string }>): string {
  if (!("findings" in result)) return "";
  const { errors, warnings, findings } = result;
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

/** The rules of a command as rows for a program. */
export function ruleRows(rules: readonly RuleFacts[]): ViewRows {
  return rowsOfItems(
    rules,
    table<RuleFacts>(
      ["rule", "rules"],
      {
        Severity: "severity",
        Rule: "id",
        Requirement: ({ title }) => `${title}.`,
        Remedy: "remedy",
      },
      { id: ({ id }) => id },
    ),
  );
}

/** The page of the rules of a command, for `--list-rules`. */
export function rulesPage(command: string, rules: readonly RuleFacts[]): Page {
  return {
    title: `Rules of ${command}`,
    blocks: [
      {
        kind: "grid",
        cards: true,
        inRows: true,
        columns: ["Severity", "Rule", "Requirement", "Remedy"],
        rows: rules.map(({ id, severity, title, remedy }) => [
          severity,
          toned("strong", id),
          `${title}.`,
          toned("dim", remedy),
        ]),
      },
    ],
  };
}
