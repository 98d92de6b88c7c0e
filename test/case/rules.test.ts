import { describe, expect, it } from "vitest";
import type { FactPart, Facts } from "../../src/case/facts.ts";
import type { LogKind } from "../../src/case/log-facts.ts";
import { CASE_RULES, judgeFacts } from "../../src/case/rules.ts";
import { RULE_NAMES, type RuleName } from "../../src/documents/case.ts";
import { NOW } from "../harness.ts";

const RECORD = {
  id: "ins_1",
  group: "Acme",
  provider: "hubspot",
  integrationId: "int_1",
  health: "unhealthy",
  lastOperation: "failure",
  connection: "working",
  installed: "2026-01-01T00:00:00Z",
  reads: [{ object: "contacts", schedule: "0 * * * *", destination: "hook", isPaused: false }],
  isEmpty: false,
} satisfies Facts["record"];
const HEALTHY = { ...RECORD, health: "healthy", lastOperation: "success" };
const { lastOperation: _, ...UNUSED } = HEALTHY;

const tally = (total: number, alike: number, failing = alike) => ({
  total,
  alike,
  failing,
  fine: total - failing,
  lastOperationFailed: 0,
});
const cohort = (integration: number[], provider: number[], integrationsAlike: number) => ({
  integration: tally(integration[0] ?? 0, integration[1] ?? 0, integration[2]),
  provider: tally(provider[0] ?? 0, provider[1] ?? 0, provider[2]),
  integrationsAlike,
  alikeState: "failing" as const,
});
const ALONE = cohort([2, 1, 2], [2, 1, 2], 1);

const OPERATIONS = {
  read: 6,
  action: "read",
  failed: 5,
  since: "2026-08-30T09:15:00Z",
  lastSuccess: "2026-08-30T09:00:00Z",
  isCut: false,
  results: [],
  isRetrying: false,
} satisfies Facts["operations"];
const SUCCEEDING = { ...OPERATIONS, failed: 0, since: undefined } satisfies Facts["operations"];
const RECOVERED = {
  ...OPERATIONS,
  failed: 0,
  since: undefined,
  recovered: { failed: 3, lastFailed: { id: "op_3" }, isCut: false },
};

const logs = (kind: LogKind, subject?: string): NonNullable<Facts["logs"]> => ({
  lines: 14,
  quoted: 7,
  matching: 2,
  match: { kind, subject, text: "refused", operation: "op_1" },
});

const READING = { text: "reads all records", operation: "op_1", isStill: false };

interface Row {
  readonly holds: Facts;
  /** The same without what the rule judges. */
  readonly not: Facts;
  readonly says: string;
  readonly turn: string;
}

/** Each rule, with facts for which it is the verdict, and with facts for which it does not hold. */
const ROWS: Readonly<Record<RuleName, Row>> = {
  "provider-wide": {
    holds: { record: RECORD, cohort: cohort([5, 3], [8, 5], 2) },
    not: { record: RECORD, cohort: cohort([5, 2], [8, 5], 1) },
    says: "5 of 8 hubspot installations in 2 integrations fail in the same state",
    turn: "provider",
  },
  "integration-wide": {
    holds: { record: RECORD, cohort: cohort([5, 3], [20, 3], 1) },
    not: { record: RECORD, cohort: cohort([7, 3], [20, 3], 1) },
    says: "3 of 5 installations of this integration fail in the same state",
    turn: "builder",
  },
  "credentials-refused": {
    holds: { record: { ...RECORD, connection: "bad_credentials" }, cohort: ALONE },
    not: { record: RECORD, logs: logs("rate") },
    says: "hubspot rejects the credentials",
    turn: "customer",
  },
  "permission-or-field": {
    holds: { record: RECORD, logs: logs("field", "deal_stage_x"), operations: OPERATIONS },
    not: { record: HEALTHY, logs: logs("field", "deal_stage_x") },
    says: "the provider refuses a field",
    turn: "customer",
  },
  "rate-limited": {
    holds: { record: RECORD, logs: logs("rate") },
    not: { record: RECORD, logs: logs("field") },
    says: "hubspot limits the rate of requests",
    turn: "builder",
  },
  "config-just-changed": {
    holds: { record: { ...RECORD, changed: "2026-08-30T09:07:00Z" }, operations: OPERATIONS },
    not: { record: { ...RECORD, changed: "2026-08-30T08:14:59Z" }, operations: OPERATIONS },
    says: "the configuration was changed 8 min before the first failure",
    turn: "customer",
  },
  "provider-unavailable": {
    holds: { record: RECORD, logs: logs("unavailable") },
    not: { record: RECORD, logs: logs("field") },
    says: "hubspot does not respond, or returns a server error",
    turn: "provider",
  },
  "destination-missing": {
    holds: { record: HEALTHY, destinations: new Set(["other"]) },
    not: { record: HEALTHY, destinations: new Set(["hook"]) },
    says: 'reads deliver to "hook", which does not exist',
    turn: "builder",
  },
  paused: {
    holds: {
      record: { ...HEALTHY, reads: RECORD.reads.map((one) => ({ ...one, isPaused: true })) },
    },
    not: { record: HEALTHY },
    says: 'all reads are paused: "contacts"',
    turn: "builder",
  },
  recovering: {
    holds: { record: { ...RECORD, lastOperation: "success" }, operations: RECOVERED },
    not: { record: RECORD, operations: OPERATIONS },
    says: "operations are succeeding again, after 3 failures",
    turn: "nobody",
  },
  retrying: {
    holds: { record: RECORD, operations: { ...OPERATIONS, isRetrying: true, attempts: 3 } },
    not: { record: RECORD, operations: OPERATIONS },
    says: "the platform is retrying (attempt 3)",
    turn: "nobody",
  },
  stuck: {
    holds: { record: RECORD, reading: { ...READING, isStill: true } },
    not: { record: RECORD, reading: READING },
    says: "it reads all records",
    turn: "platform",
  },
  "schedule-never": {
    holds: {
      record: HEALTHY,
      idle: [{ object: "deals", schedule: "0 0 31 2 *", isPaused: false }],
    },
    not: { record: HEALTHY, idle: [] },
    says: 'the schedule of "deals" never occurs: 0 0 31 2 *',
    turn: "builder",
  },
  "not-running": {
    holds: {
      record: HEALTHY,
      operations: SUCCEEDING,
      late: [{ object: "contacts", isFirst: false, ago: "3 days" }],
    },
    not: { record: HEALTHY, late: [] },
    says: 'no read of "contacts" has run for 3 days, although it was due',
    turn: "platform",
  },
  "reads-nothing": {
    holds: { record: { ...HEALTHY, reads: [], isEmpty: true } },
    not: { record: { ...HEALTHY, reads: [] } },
    says: "the configuration reads, writes and subscribes to nothing",
    turn: "customer",
  },
  "never-used": {
    holds: { record: { ...UNUSED, connection: "created" } },
    not: { record: { ...HEALTHY, connection: "created" } },
    says: "the service reports no operation since the installation was connected",
    turn: "nobody",
  },
  "only-them": {
    holds: { record: RECORD, cohort: cohort([20, 1], [20, 1], 1) },
    not: { record: RECORD, cohort: cohort([20, 1, 2], [20, 1, 2], 1) },
    says: "none of the 19 other installations of this integration is reported as failing",
    turn: "builder",
  },
  healthy: {
    holds: { record: HEALTHY, cohort: ALONE, operations: SUCCEEDING },
    not: { record: { ...HEALTHY, connection: "expired" }, operations: SUCCEEDING },
    says: "no problem found in the data of the service",
    turn: "nobody",
  },
};

const TABLE = RULE_NAMES.map((name) => ({ name, ...ROWS[name] }));

describe("the rules of a case", () => {
  it.each(TABLE)("$name is the verdict with its facts", ({ name, holds, says, turn }) => {
    const verdict = judgeFacts(holds, {}, NOW);
    expect(verdict).toMatchObject({ rule: name, says, turn });
    expect(verdict.advice).not.toBe("");
  });

  it.each(TABLE)("$name does not hold without its facts", ({ name, not }) => {
    expect(ruleOf(judgeFacts(not, {}, NOW), name)).toEqual({ rule: name, holds: false });
  });

  it.each(
    TABLE.flatMap(({ name, holds }) =>
      CASE_RULES[name].needs.map((need) => ({ name, need, holds })),
    ),
  )("$name is silent where $need is not told", ({ name, need, holds }) => {
    const { [need as FactPart]: _, ...others } = holds;
    const verdict = judgeFacts(others, { [need]: "the service does not tell" }, NOW);
    expect(verdict.rule).not.toBe(name);
    expect(ruleOf(verdict, name)).toEqual({
      rule: name,
      holds: null,
      needs: ["the service does not tell"],
    });
  });

  it("has each rule once, and each in the order of its rank", () => {
    expect(Object.keys(CASE_RULES)).toEqual([...RULE_NAMES]);
    for (const [at, name] of RULE_NAMES.entries()) {
      const outranked = CASE_RULES[name].outranks ?? [];
      expect(outranked.every((one) => RULE_NAMES.indexOf(one) > at)).toBe(true);
    }
  });

  it("mentions what a higher rule explains, and what also holds", () => {
    const refused = { ...RECORD, connection: "bad_credentials" };
    const verdict = judgeFacts({ record: refused, cohort: cohort([5, 4], [8, 6], 2) }, {}, NOW);
    expect(verdict.rule).toBe("provider-wide");
    expect(verdict.also.map(({ rule }) => rule)).toEqual([
      "integration-wide",
      "credentials-refused",
    ]);
  });

  it("says that nothing explains a failure, and repeats an unknown state", () => {
    expect(judgeFacts({ record: RECORD }, {}, NOW)).toMatchObject({
      rule: "unexplained",
      headline: "The service reports it as unhealthy, and its operations are not available",
      turn: "platform",
    });
    const verdict = judgeFacts({ record: { ...HEALTHY, health: "degraded" } }, {}, NOW);
    expect(verdict.rule).toBe("unexplained");
    expect(verdict.facts).toContainEqual({
      fact: "health",
      value: "degraded",
      source: "installation",
    });
  });

  it("says since when, at least where no success was found, and nothing of a time to come", () => {
    const says = (operations: Facts["operations"]) =>
      judgeFacts({ record: RECORD, logs: logs("rate"), ...(operations && { operations }) }, {}, NOW)
        .headline;
    expect(says(OPERATIONS)).toBe(
      "Reads have failed since Sun 30 Aug 09:15 UTC (2 days): hubspot limits the rate of requests",
    );
    expect(says({ ...OPERATIONS, isCut: true, action: "write" })).toBe(
      "Writes have failed at least since Sun 30 Aug 09:15 UTC (2 days): hubspot limits the rate of requests",
    );
    expect(says({ ...OPERATIONS, since: "2026-09-02T09:30:00Z", action: "sweep" })).toBe(
      "Operations have failed since Wed 2 Sep 09:30 UTC: hubspot limits the rate of requests",
    );
  });
});

function ruleOf({ rules }: ReturnType<typeof judgeFacts>, name: RuleName) {
  return rules.find(({ rule }) => rule === name);
}
