import type {
  CheckList,
  CheckOutcome,
  ShownReceiverTest,
  TestedCheck,
} from "../../documents/events.ts";
import { type JunitCase, junitXml, type SarifFinding, sarifJson } from "../../reports/reports.ts";
import { asList } from "../../values/basics.ts";
import { counted } from "../../values/counted.ts";
import {
  type Block,
  type Cell,
  dimBlock,
  joined,
  type Page,
  type PageRow,
  rows,
  rowsOfItems,
  table,
  toned,
  type ViewRows,
} from "../../view/view.ts";
import { isDelivered } from "../delivery.ts";
import { isAccepted } from "../message/payloads.ts";
import { type CheckFacts, checkFacts, KNOWN_EVENTS } from "./checks.ts";
import type { ReceiverTest } from "./test-receiver.ts";

/** The page of a test: what passed in a few lines, and what did not with its remedy. */
export function receiverTestPage(result: ShownReceiverTest | CheckList): Page {
  return "url" in result ? testPage(result) : listPage(result);
}

const MARKS: Readonly<Record<CheckOutcome, string>> = {
  pass: "✓",
  warn: "!",
  fail: "✗",
  not_run: "–",
};

function testPage({
  url,
  seed,
  passed,
  warned,
  failed,
  checks,
  diagnosis,
  again,
}: ShownReceiverTest): Page {
  const warnings = warned === 0 ? "" : `, ${counted(warned, "warning")}`;
  const notRun = checks.filter(({ outcome }) => outcome === "not_run");
  // One cause hides the other checks: they have not failed.
  const others = notRun.length > 0 ? `, ${notRun.length} not run` : "";
  const summary =
    failed > 0
      ? `${failed} of ${checks.length} checks failed${warnings}${others}`
      : `${passed} of ${checks.length} checks passed${warnings}`;
  const worst = worstOf(checks);
  const isGood = passed === checks.length;
  return {
    title: toned(
      failed > 0 ? "bad" : isGood ? "good" : "attention",
      [worst, summary].filter(Boolean).join(": "),
    ),
    aside: joined([url, `seed ${seed}`]) ?? "",
    blocks: [
      rows([...Map.groupBy(checks, ({ kind }) => kind)].map(kindRow)),
      ...diagnosis.map(({ checks: names, says }): Block => {
        const failing = checks.filter(({ name }) => names.includes(name));
        return {
          kind: "grid",
          cards: true,
          columns: ["Outcome", "Checks", "Problem", "Answer", "Remedy"],
          rows: [
            [
              MARKS[isFailing(failing) ? "fail" : "warn"],
              ...problems(failing),
              answers(failing),
              says,
            ],
          ],
        };
      }),
      ...(notRun.length > 0 ? [notRunBlock(notRun)] : []),
      { kind: "command", heading: "Run these checks again", lines: asList(again) },
    ],
  };
}

/** What is worst of a receiver that fails, before any count: most checks may pass beside it. */
function worstOf(checks: readonly TestedCheck[]): string | undefined {
  const failed = checks.filter(({ outcome }) => outcome === "fail");
  const events = failed.find(({ name }) => name === KNOWN_EVENTS);
  // A web page for everything counts as delivered, too.
  if (events?.messages.some(isDelivered)) {
    const isPartly = checks.some(({ outcome }) => outcome === "pass");
    return isPartly ? "Rejects some real events" : "Is not a webhook receiver";
  }
  if (events) return "Rejects real events";
  // Only a 2xx accepts; other checks of this kind fail by a redirect, a crash or no answer.
  if (failed.some(({ kind, observed = {} }) => kind === "reject" && isAccepted(observed)))
    return "Accepts messages that it must reject";
  return undefined;
}

/** The checks of one kind: those that passed together, then those that did not. */
function kindRow([kind, checks]: [string, readonly TestedCheck[]]): PageRow {
  const shown = (outcome: CheckOutcome) =>
    checks
      .filter((check) => check.outcome === outcome)
      // A no-break space keeps mark and name together.
      .map(({ name, note }) =>
        `${MARKS[outcome]}\u00a0${name}${note ? ` (${note})` : ""}`.replaceAll(" ", "\u00a0"),
      )
      // The space may become a line end, and one that does not is as wide as it looks here.
      .join("\u00a0 ");
  const cells: Cell[] = [
    shown("pass"),
    toned("attention", shown("warn")),
    toned("bad", shown("fail")),
    toned("dim", shown("not_run")),
  ];
  return [kind, cells];
}

/** The names of the checks of a problem, and what was seen: "204 for one message; another". */
function problems(checks: readonly TestedCheck[]): Cell[] {
  const names = toned("strong", checks.map(({ name }) => name).join(", "));
  const bySeen = Map.groupBy(checks, ({ observed, message = "" }) => observed?.response ?? message);
  const text = [...bySeen].map(([seen, alike]) => {
    const to = new Set(alike.flatMap(({ observed }) => observed?.to ?? []));
    return to.size === 0 ? seen : `${seen} for ${[...to].join("; ")}`;
  });
  return [names, toned(isFailing(checks) ? "bad" : "attention", text.join("; "))];
}

/** What the receiver itself said, each once. */
function answers(checks: readonly TestedCheck[]): Cell {
  const [first, ...others] = new Set(checks.flatMap(({ answer }) => answer ?? []));
  if (first === undefined) return undefined;
  return `The receiver says: ${first}${others.length > 0 ? ` (and ${others.length} other answers)` : ""}`;
}

function isFailing(checks: readonly TestedCheck[]): boolean {
  return checks.some(({ outcome }) => outcome === "fail");
}

function notRunBlock(notRun: readonly TestedCheck[]): Block {
  const reasons = new Set(notRun.flatMap(({ message }) => message ?? []));
  return dimBlock(`Not run: ${[...reasons].join("; ")}.`);
}

function listPage({ checks }: CheckList): Page {
  return {
    title: "Checks of amp webhooks test",
    blocks: [
      {
        kind: "grid",
        cards: true,
        columns: ["Kind", "Check", "Requirement"],
        rows: checks.map(({ kind, name, title }) => [kind, toned("strong", name), `${title}.`]),
      },
    ],
  };
}

/** A row for each check, for a program. */
export function receiverTestRows(result: ShownReceiverTest | CheckList): ViewRows {
  if (!("url" in result)) {
    return rowsOfItems(
      result.checks,
      table<CheckFacts>(["check", "checks"], {
        Check: "name",
        Kind: "kind",
        Severity: "severity",
        Requirement: "title",
      }),
    );
  }
  return rowsOfItems(
    result.checks,
    table<TestedCheck>(["check", "checks"], {
      Outcome: "outcome",
      Check: "name",
      Kind: "kind",
      Problem: ({ message }) => message ?? "",
      Answer: ({ answer }) => answer ?? "",
      Remedy: ({ advice }) => advice ?? "",
    }),
  );
}

/** The kinds of reports of a receiver's test, each with its text. */
export const RECEIVER_REPORTS = {
  junit: (result: ReceiverTest) =>
    junitXml({ name: `amp webhooks test of ${result.url}`, cases: result.checks.map(junitCase) }),
  sarif: (result: ReceiverTest) => {
    const facts = checkFacts(result.checks.map(({ name }) => name));
    const rules = facts.map(({ name, advice, ...rest }) => ({ ...rest, id: name, remedy: advice }));
    return sarifJson(rules, result.checks.flatMap(finding), `webhooks/${new URL(result.url).host}`);
  },
} as const;

function junitCase(check: TestedCheck): JunitCase {
  const { name, kind, outcome, messages } = check;
  const text = reportText(check);
  return {
    className: `amp.webhooks.test.${kind}`,
    name,
    seconds:
      messages
        .flatMap(({ attempts }) => attempts)
        .reduce((sum, { durationMs = 0 }) => sum + durationMs, 0) / 1000,
    failure: outcome === "fail" ? { text, type: name } : undefined,
    output: outcome === "warn" ? text : undefined,
    skipped: outcome === "not_run",
  };
}

function reportText({ message = "", answer, advice = "" }: TestedCheck): string {
  return `${message}. ${answer === undefined ? "" : `The receiver says: ${answer}. `}${advice}`;
}

function finding(check: TestedCheck) {
  const { name, outcome, severity } = check;
  if (outcome !== "fail" && outcome !== "warn") return [];
  const found: SarifFinding = {
    rule: name,
    severity: outcome === "warn" ? "warning" : severity,
    text: reportText(check),
  };
  return [found];
}
