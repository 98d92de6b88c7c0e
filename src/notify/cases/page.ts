import type { CaseResult, RoutingTest } from "../../documents/notify.ts";
import { type JunitCase, junitXml } from "../../reports/reports.ts";
import { capitalised, counted, firstNames } from "../../values/counted.ts";
import {
  type Block,
  type Page,
  rowsOfItems,
  table,
  toned,
  type ViewRows,
} from "../../view/view.ts";

/** The page of a routing's test: a line for each case, and below it what does not hold. */
export function routingTestPage({ file, passed, failed, cases }: RoutingTest): Page {
  const total = counted(cases.length, "case");
  return {
    title: toned(failed > 0 ? "bad" : "good", `${passed} of ${total} passed`),
    aside: file,
    blocks: [
      { kind: "rows", rows: cases.map((one) => [mark(one), caseCells(one)] as const) },
      ...(failed > 0 ? [failureGrid(cases)] : []),
    ],
  };
}

/** Which cases failed: `2 of 5 cases failed: reads reach ops, a pause`. */
export function failedCasesText({ failed, cases }: RoutingTest): string {
  const names = cases.flatMap(({ name, outcome }) => (outcome === "fail" ? [name] : []));
  const total = counted(cases.length, "case");
  return `${failed} of ${total} failed: ${firstNames(names)}`;
}

function mark({ outcome }: CaseResult): string {
  return outcome === "pass" ? "✓" : "✗";
}

function caseCells({ name, outcome, expectations }: CaseResult) {
  const count = counted(expectations.length, "expectation");
  const holding = expectations.filter(({ met }) => met).length;
  return outcome === "pass"
    ? `${name} (${count})`
    : toned("bad", `${name} (${holding} of ${count})`);
}

function failureGrid(cases: readonly CaseResult[]): Block {
  return {
    kind: "grid",
    cards: true,
    columns: ["Outcome", "Case", "Expected", "Problem", "Place"],
    rows: cases.flatMap(({ name, file, expectations }) =>
      expectations.flatMap(({ text, met, message = "", line }) =>
        met
          ? []
          : [
              [
                "✗",
                toned("strong", name),
                text,
                toned("bad", `${capitalised(message)}.`),
                toned("dim", `${file}:${line}`),
              ],
            ],
      ),
    ),
  };
}

/** A row for each expectation, for a program. */
export function routingTestRows({ cases }: RoutingTest): ViewRows {
  const items = cases.flatMap(({ name, file, expectations }) =>
    expectations.map((expectation) => ({ ...expectation, name, file })),
  );
  type Row = (typeof items)[number];
  return rowsOfItems(
    items,
    table<Row>(["expectation", "expectations"], {
      Outcome: ({ met }) => (met ? "pass" : "fail"),
      Case: "name",
      Expected: "text",
      Problem: ({ message }) => message ?? "",
      Place: ({ file, line }) => `${file}:${line}`,
    }),
  );
}

/** JUnit's XML: a suite for each file of cases. */
export function casesJunit(
  { file, cases }: RoutingTest,
  reported: (path: string) => string,
): Promise<string> {
  const suites = [...Map.groupBy(cases, (one) => one.file)].map(([path, all]) => ({
    name: `amp notify test of ${file}: ${path}`,
    cases: all.map((one) => junitCase(one, reported(path))),
  }));
  return junitXml(...suites);
}

function junitCase({ name, when, ms, expectations }: CaseResult, file: string): JunitCase {
  const failed = expectations.filter(({ met }) => !met);
  const text = failed
    .map((one) => `${one.text}: ${one.message ?? ""} (${file}:${one.line})`)
    .join("\n");
  return {
    className: `amp.notify.test.${when}`,
    name,
    file,
    seconds: ms / 1000,
    failure: failed.length === 0 ? undefined : { text, type: "expectation" },
  };
}
