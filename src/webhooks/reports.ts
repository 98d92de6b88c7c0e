import { type JunitCase, junitXml } from "../reports/junit.ts";
import { type SarifFinding, sarifJson } from "../reports/sarif.ts";
import { checkFacts } from "./checks.ts";
import type { ReceiverTest, TestedCheck } from "./test-receiver.ts";

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
  const { name, kind, outcome, message = "", advice = "", responses } = check;
  const text = `${message}. ${advice}`;
  return {
    className: `amp.webhooks.test.${kind}`,
    name,
    seconds: responses.reduce((sum, { ms }) => sum + ms, 0) / 1000,
    failure: outcome === "fail" ? { text, type: name } : undefined,
    output: outcome === "warn" ? text : undefined,
    skipped: outcome === "not_run",
  };
}

function finding({ name, outcome, severity, message = "", advice = "" }: TestedCheck) {
  if (outcome !== "fail" && outcome !== "warn") return [];
  const found: SarifFinding = {
    rule: name,
    severity: outcome === "warn" ? "warning" : severity,
    text: `${message}. ${advice}`,
  };
  return [found];
}
