import { type Block, type Page, row, rows, toned } from "../../view/view.ts";
import { sourceText } from "../graph/load.ts";
import type { CheckResult, RuleFacts } from "./check.ts";

/** The rules alone, for `--list-rules`. */
export interface RuleList {
  readonly rules: readonly RuleFacts[];
}

/** The page of a check: each finding with its place and what to do; or of the rules alone. */
export function checkPage(result: CheckResult | RuleList): Page {
  return "findings" in result ? findingsPage(result) : rulesPage(result);
}

function findingsPage(result: CheckResult): Page {
  const { findings, rules, unchecked, errors, warnings } = result;
  return {
    title:
      findings.length === 0
        ? toned("good", `No problems in ${sourceText(result)}`)
        : `Check of ${sourceText(result)}`,
    aside: [
      ...(findings.length === 0 ? [] : [counted(errors, "error"), counted(warnings, "warning")]),
      `${counted(rules.length, "rule")} checked`,
    ].join(", "),
    blocks: [
      ...(findings.length > 0 ? [findingsGrid(result)] : []),
      // That a file does not have the reads of customers is no news.
      rows(
        result.file === undefined
          ? unchecked.flatMap(({ rule, reason }) => row("Not checked", `${rule}: ${reason}`))
          : [],
      ),
    ],
  };
}

/** A card for each finding on a terminal; one line in a pipe and in Markdown. */
function findingsGrid({ findings, file }: CheckResult): Block {
  return {
    kind: "grid",
    cards: true,
    columns: ["Severity", "Problem", "Remedy", "Place and rule"],
    rows: findings.map(({ severity, message, remedy, rule, line, column }) => [
      severity,
      toned(severity === "error" ? "bad" : "attention", message),
      remedy,
      toned("dim", line === undefined ? rule : `${file}:${line}:${column}  ${rule}`),
    ]),
  };
}

function rulesPage({ rules }: RuleList): Page {
  return {
    title: "Rules of amp notify check",
    blocks: [
      {
        kind: "grid",
        cards: true,
        columns: ["Severity", "Rule", "What must hold", "Remedy"],
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

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
