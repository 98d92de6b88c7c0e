import { describe, expect, it } from "vitest";
import type { Installation } from "../../src/api/schemas/installation.ts";
import { caseFacts } from "../../src/case/facts.ts";
import type { GatheredAnswer, Role } from "../../src/case/recorder.ts";
import { judgeFacts } from "../../src/case/rules.ts";
import type { Tally } from "../../src/case/target.ts";
import { NOW } from "../harness.ts";

const HOUR = 3_600_000;
const ago = (hours: number) => new Date(NOW.getTime() - hours * HOUR).toISOString();

/** An operation: the hours since it ran, its object, how it ended, and what else it says. */
type Ran = readonly [hours: number, object: string, status: string, more?: object];

interface World {
  /** Fields of the installation in place of those of a healthy one. */
  readonly record?: object;
  /** The reads of the config by object, in place of contacts and deals each hour. */
  readonly reads?: Readonly<Record<string, object>>;
  readonly ran?: readonly Ran[];
  /** Whether the operations were not read back to the first one. */
  readonly isCut?: true;
  /** The lines of the log by the hours of its operation: severity and message. */
  readonly logs?: Readonly<Record<number, readonly (readonly [string, string])[]>>;
  readonly destinations?: readonly string[];
  readonly cohort?: {
    readonly integration?: Tally;
    readonly provider?: Tally;
    integrations?: number;
  };
}

const READ = { schedule: "0 * * * *", destination: "hook" };
const UNHEALTHY = { healthStatus: "unhealthy", lastOperationStatus: "failure" };
const tally = (total: number, alike: number): Tally => ({
  total,
  alike,
  failing: alike,
  fine: total - alike,
  lastOperationFailed: 0,
});

/** Fails each hour, after a last success. */
const failing = (object: string, hours: number): Ran[] => [
  ...Array.from({ length: hours }, (_, at): Ran => [at, object, "failure"]),
  [hours, object, "success"],
];
const fine = (object: string, hours = 30): Ran[] =>
  Array.from({ length: hours }, (_, at): Ran => [at + 0.1, object, "success"]);

async function judged(world: World) {
  const { record, reads = { contacts: READ, deals: READ }, ran, isCut = false } = world;
  const installation = {
    ...{ id: "ins_1", projectId: "p", integrationId: "int_1", createdBy: "consumer:1" },
    ...{ healthStatus: "healthy", lastOperationStatus: "success", createTime: ago(9_000) },
    connection: { id: "con_1", status: "working", provider: "hubspot" },
    config: { content: { provider: "hubspot", read: { objects: reads } } },
    ...record,
  } as unknown as Installation;
  const operations = ran
    ?.toSorted(([one], [other]) => one - other)
    .map(([hours, object, status, more]) => ({
      ...{ id: `op_${hours}`, actionType: "read", status, createTime: ago(hours) },
      metadata: { objects: [object] },
      ...more,
    }));
  const answer = { method: "GET", path: "/", query: {}, status: 200, headers: {}, body: null };
  const of = (role: Role, records: unknown, operation?: string) =>
    records === undefined ? [] : [{ role, records, answer, ...(operation && { operation }) }];
  const logs = Object.entries(world.logs ?? {}).flatMap(([hours, lines]) => {
    const records = lines.map(([severity, msg]) => ({ severity, message: { msg } }));
    return of("logs", records, `op_${hours}`);
  });
  const destinations = (world.destinations ?? ["hook"]).map((name) => ({ name }));
  const {
    integration = tally(1, 0),
    provider = integration,
    integrations = 1,
  } = world.cohort ?? {};
  const { facts, missing } = await caseFacts(
    {
      installation,
      cohort: {
        integration,
        provider,
        integrationsAlike: integrations,
        alikeState: "connection" in (world.record ?? {}) ? "credentials" : "failing",
      },
      gathered: [
        ...of("operations", operations),
        ...logs,
        ...of("destination", destinations),
      ] as GatheredAnswer[],
      isWhole: !isCut,
      isEmpty: false,
      missingEvidence: [],
    },
    NOW,
  );
  return judgeFacts(facts, missing, NOW);
}

/** Each world with the sentence that somebody tells a customer, and whose turn it is. */
const WORLDS: readonly (readonly [string, World, rule: string, headline: string, turn: string])[] =
  [
    [
      "one object fails, and another is read",
      { record: UNHEALTHY, ran: [...failing("contacts", 5), ...fine("deals")] },
      "unexplained",
      'Reads of "contacts" have failed since Wed 2 Sep 04:30 UTC (4 hours): op_0 failed, and its log is not available',
      "unknown",
    ],
    [
      "one object of a healthy record fails between the successes of another",
      { ran: [...failing("contacts", 5), ...fine("deals")], logs: { 0: [["error", "HTTP 403"]] } },
      "permission-or-field",
      'Reads of "contacts" have failed since Wed 2 Sep 04:30 UTC (4 hours): the provider refuses access',
      "customer",
    ],
    [
      "reads fail, and the newest operation is a write that succeeded",
      {
        record: UNHEALTHY,
        ran: [...failing("contacts", 3), [0.05, "contacts", "success", { actionType: "write" }]],
      },
      "unexplained",
      "Reads have failed since Wed 2 Sep 06:30 UTC (2 hours): op_0 failed, and its log is not available",
      "unknown",
    ],
    [
      "the record is unhealthy, and every operation succeeds",
      { record: { healthStatus: "unhealthy" }, ran: [...fine("contacts"), ...fine("deals")] },
      "unexplained",
      "The service reports it as unhealthy, although its last operation succeeded",
      "platform",
    ],
    [
      "it is unhealthy, and failed for the last time weeks ago",
      {
        record: { healthStatus: "unhealthy" },
        reads: { contacts: READ },
        ran: [...fine("contacts"), [600, "contacts", "failure"], [601, "contacts", "success"]],
      },
      "unexplained",
      "The service reports it as unhealthy, although its last operation succeeded",
      "platform",
    ],
    [
      "the record is unhealthy, and the service has no operations",
      { record: UNHEALTHY },
      "unexplained",
      "The service reports it as unhealthy, and its operations are not available",
      "unknown",
    ],
    [
      "nothing fails, and there are no operations to look at",
      {},
      "healthy",
      "The record of the installation shows no problem; its operations are not available",
      "nobody",
    ],
    [
      "the connection has a status that nobody knows",
      {
        record: { connection: { status: "expired" } },
        reads: { contacts: READ },
        ran: fine("contacts"),
      },
      "unexplained",
      'The service reports the connection status "expired", which amp does not know',
      "platform",
    ],
    [
      "all operations have a status that nobody knows",
      { ran: [[1, "contacts", "skipped"]], reads: { contacts: READ } },
      "unexplained",
      'The service reports an operation as "skipped", which amp does not know',
      "platform",
    ],
    [
      "another object is paused than the one that fails",
      {
        record: UNHEALTHY,
        reads: { contacts: READ, deals: { ...READ, disabled: true } },
        ran: failing("contacts", 5),
      },
      "unexplained",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): op_0 failed, and its log is not available",
      "unknown",
    ],
    [
      "all reads were paused after they failed for an unknown reason",
      {
        record: UNHEALTHY,
        reads: { contacts: { ...READ, disabled: true } },
        ran: failing("contacts", 5),
      },
      "paused",
      'All reads are paused: "contacts"; reads have failed since Wed 2 Sep 04:30 UTC (4 hours)',
      "builder",
    ],
    [
      "the destination of another object does not exist",
      {
        record: UNHEALTHY,
        reads: { contacts: READ, deals: { ...READ, destination: "gone" } },
        ran: [...failing("contacts", 5), ...fine("deals")],
      },
      "unexplained",
      'Reads of "contacts" have failed since Wed 2 Sep 04:30 UTC (4 hours): op_0 failed, and its log is not available',
      "unknown",
    ],
    [
      "the config changed before the failures, and reads succeeded after it",
      {
        record: { ...UNHEALTHY, updateTime: ago(5.7) },
        ran: [...failing("contacts", 5), [5.5, "contacts", "success"]],
      },
      "unexplained",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): op_0 failed, and its log is not available",
      "unknown",
    ],
    [
      "the config changed before the first failure that was read, which is not the first",
      {
        record: { ...UNHEALTHY, updateTime: ago(4.5) },
        ran: failing("contacts", 5).slice(0, 5),
        isCut: true,
      },
      "unexplained",
      "Reads have failed at least since Wed 2 Sep 04:30 UTC (4 hours): op_0 failed, and its log is not available",
      "unknown",
    ],
    [
      "the first failure has another cause than the last",
      {
        record: UNHEALTHY,
        ran: failing("contacts", 5),
        logs: {
          4: [["error", "No such column 'stage'"]],
          0: [["error", "invalid_grant: the token was revoked"]],
        },
      },
      "credentials-refused",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): hubspot rejects the credentials",
      "customer",
    ],
    [
      "a line of information reads as a cause, and the error is another",
      {
        record: UNHEALTHY,
        ran: failing("contacts", 5),
        logs: {
          0: [
            ["info", "the access token has expired: refreshing it"],
            ["error", "Cannot parse row 7"],
          ],
        },
      },
      "unexplained",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): the log has a cause that amp does not know",
      "platform",
    ],
    [
      "an operation runs again after three days of failures",
      {
        record: UNHEALTHY,
        ran: [[0, "contacts", "in_progress"], ...failing("contacts", 75).slice(1)],
      },
      "unexplained",
      "Reads have failed since Sun 30 Aug 06:30 UTC (3 days): op_1 failed, and its log is not available",
      "unknown",
    ],
    [
      "an object that is no longer read failed last",
      { ran: [...fine("contacts"), [40, "invoices", "failure"]], reads: { contacts: READ } },
      "healthy",
      "No problem found in the data of the service",
      "nobody",
    ],
    [
      "half of the provider fails, and the log of this one names its scope",
      {
        record: UNHEALTHY,
        ran: failing("contacts", 5),
        logs: { 0: [["error", "403 Forbidden: the app has not been granted the scope crm.read"]] },
        cohort: { integration: tally(4, 2), provider: tally(6, 4), integrations: 2 },
      },
      "provider-wide",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): the provider refuses access: a scope is missing; 4 of 6 hubspot installations in 2 integrations fail in the same state",
      "builder",
    ],
    [
      "the only integration of a provider that is down",
      {
        record: UNHEALTHY,
        ran: failing("contacts", 5),
        logs: { 0: [["error", "503 Service Unavailable"]] },
        cohort: { integration: tally(5, 4) },
      },
      "integration-wide",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): hubspot does not respond, or returns a server error; 4 of 5 installations of this integration fail in the same state",
      "provider",
    ],
    [
      "the credentials of most customers are refused at once",
      {
        record: { ...UNHEALTHY, connection: { status: "bad_credentials", provider: "hubspot" } },
        ran: failing("contacts", 5),
        cohort: { integration: tally(5, 4), provider: tally(9, 6), integrations: 2 },
      },
      "provider-wide",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): hubspot rejects the credentials; 6 of 9 hubspot installations in 2 integrations fail with refused credentials",
      "builder",
    ],
    [
      "a single read timed out",
      {
        ran: [[0, "contacts", "failure"], ...fine("contacts").slice(1)],
        logs: { 0: [["error", "timed out"]] },
      },
      "provider-unavailable",
      "The last read failed, Wed 2 Sep 08:30 UTC (0 minutes ago): hubspot does not respond, or returns a server error",
      "nobody",
    ],
    [
      "the record is healthy, and nothing has run for days",
      {
        ran: fine("contacts").map(([hours, ...more]): Ran => [hours + 70, ...more]),
        reads: { contacts: READ },
      },
      "not-running",
      'No read of "contacts" has run for 2 days, although it was due',
      "platform",
    ],
    [
      "it is read once a week, and ran six days ago",
      {
        ran: [[144, "contacts", "success"]],
        reads: { contacts: { ...READ, schedule: "0 0 * * 1" } },
      },
      "healthy",
      "No problem found in the data of the service",
      "nobody",
    ],
    [
      "nothing has ever run, long after it was due",
      { record: { lastOperationStatus: undefined }, ran: [], reads: { contacts: READ } },
      "not-running",
      'No read of "contacts" has run since it was configured, although it was due',
      "platform",
    ],
    [
      "the objects of the config could not be read",
      { record: UNHEALTHY, ran: failing("contacts", 5), reads: {} },
      "unexplained",
      "Reads have failed since Wed 2 Sep 04:30 UTC (4 hours): op_0 failed, and its log is not available",
      "unknown",
    ],
    [
      "times are missing",
      {
        record: UNHEALTHY,
        ran: [
          [0, "contacts", "failure", { createTime: undefined }],
          [1, "contacts", "failure", { createTime: "soon" }],
        ],
      },
      "unexplained",
      "Reads fail: op_0 failed, and its log is not available",
      "unknown",
    ],
  ];

describe("the verdict of evidence that is missing or contradicts itself", () => {
  it.each(WORLDS)("%s", async (_, world, rule, headline, turn) => {
    const verdict = await judged(world);
    expect([verdict.rule, verdict.headline, verdict.turn]).toEqual([rule, headline, turn]);
  });
});
