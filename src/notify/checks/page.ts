import { type Block, type Page, row, rows, toned } from "../../view/view.ts";
import { sourceText } from "../graph/load.ts";
import type { CheckFinding, CheckResult, RuleFacts } from "./check.ts";

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
      ...findings.map((finding): Block => findingBlock(finding, result)),
      // That a file does not have the reads of customers is no news.
      rows(
        result.file === undefined
          ? unchecked.flatMap(({ rule, reason }) => row("Not checked", `${rule}: ${reason}`))
          : [],
      ),
    ],
  };
}

function findingBlock(finding: CheckFinding, { file }: CheckResult): Block {
  const { severity, message, remedy, rule, line, column } = finding;
  const place = line === undefined ? undefined : `${file}:${line}:${column}`;
  const tone = severity === "error" ? "bad" : "attention";
  return rows([
    [
      severity,
      [
        toned(tone, message),
        remedy,
        toned("dim", place === undefined ? rule : `${place}  ${rule}`),
      ],
    ],
  ]);
}

function rulesPage({ rules }: RuleList): Page {
  return {
    title: "Rules of amp notify check",
    blocks: rules.map(({ id, severity, title, remedy }) =>
      rows([[severity, [toned("strong", id), `${title}.`, toned("dim", remedy)]]]),
    ),
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
