import type { Installation } from "../api/schemas/installation.ts";
import type { BackfillProgress } from "../api/schemas/operation.ts";
import { firstReadText, standstillOf } from "../inspect/backfills.ts";
import { lackIds } from "../notify/file/live-names.ts";
import { graphOf } from "../notify/graph/graph.ts";
import { partsOfLists } from "../notify/graph/load.ts";
import { type EventTrace, traceEvent } from "../notify/graph/trace.ts";
import { RESOURCE_ORDER } from "../notify/model/resource.ts";
import type { LiveRouting } from "../notify/plan/live.ts";
import { withoutUndefined } from "../values/json.ts";
import type { Cohort } from "./cohort.ts";
import {
  type FactPart,
  type Facts,
  type NotificationFact,
  type ReadingFact,
  type RecordFacts,
  readNames,
  recordFacts,
} from "./facts.ts";
import { logFacts } from "./log-facts.ts";
import { operationFacts } from "./operation-facts.ts";
import type { JudgedOperation } from "./operation-streams.ts";
import type { GatheredAnswer, MissingEvidence, Role } from "./recorder.ts";
import { scheduleFacts } from "./schedule-facts.ts";
import type { Missing } from "./verdict.ts";

/** The evidence of which facts are made: nothing in it must not be shown. */
export interface CleanCase {
  readonly installation: Installation;
  readonly cohort: Cohort;
  readonly gathered: readonly GatheredAnswer[];
  readonly missingEvidence: readonly MissingEvidence[];
  readonly isWhole: boolean;
  /** Whether the config says that nothing is read, written or subscribed to. */
  readonly isEmpty: boolean;
  readonly withoutLogs?: string;
}

/** The facts of a case, and why others are missing. */
export async function caseFacts(
  evidence: CleanCase,
  now: Date,
): Promise<{ readonly facts: Facts; readonly missing: Missing }> {
  const { installation, cohort, gathered, isWhole, isEmpty, withoutLogs } = evidence;
  const record = recordFacts(installation, isEmpty);
  const of = <Records>(role: Role) =>
    gathered
      .filter((one) => one.role === role && one.records !== undefined)
      .map(({ records }) => records as Records);
  const [operations] = of<readonly JudgedOperation[]>("operations");
  const judged = operations && operationFacts(operations, isWhole, readNames(installation));
  const logs = gathered
    .flatMap(({ role, records, operation = "" }) =>
      role === "logs" && Array.isArray(records) ? [{ operation, lines: records }] : [],
    )
    // They arrive in any order, and the last failure says what is wrong now.
    .sort((one) => (one.operation === judged?.lastFailed?.id ? 1 : -1));
  const [destinations] = of<LiveRouting["destination"]>("destination");
  const [backfill] = of<BackfillProgress>("progress");
  const routing = Object.fromEntries(
    RESOURCE_ORDER.flatMap((kind) =>
      of<LiveRouting[typeof kind]>(kind).map((list) => [kind, list]),
    ),
  ) as Partial<LiveRouting>;
  const hasRouting = RESOURCE_ORDER.every((kind) => {
    const list = routing[kind];
    return list !== undefined && !lackIds(list);
  });
  const judgedLogs = logs.length > 0 ? logFacts(logs, record.provider) : undefined;
  const facts: Facts = {
    record,
    cohort,
    ...(await scheduleFacts(record, operations, isWhole, now)),
    ...(judged && { operations: judged }),
    ...(judgedLogs && { [judged?.recovered ? "pastLogs" : "logs"]: judgedLogs }),
    ...(backfill && { reading: readingFact(backfill, now) }),
    ...(destinations && {
      destinations: new Set(destinations.flatMap(({ name }) => name || [])),
    }),
    ...(hasRouting && { notifications: notificationFacts(record, routing as LiveRouting) }),
  };
  const why = (...roles: Role[]) =>
    roles.flatMap((role) => (of(role).length > 0 ? [] : [`${role}: not available`]))[0];
  const missing: Partial<Record<FactPart, string>> = {
    ...(facts.operations ? {} : { operations: "operations: not available" }),
    ...(facts.logs
      ? {}
      : {
          logs: `logs: ${withoutLogs ?? (facts.pastLogs ? "no operation fails" : "not available")}`,
        }),
    ...(facts.late ? {} : { late: "operations: not available" }),
    ...(facts.reading ? {} : { reading: "progress: no read of all records is known" }),
    ...(facts.destinations ? {} : { destinations: "destinations: not available" }),
    ...(facts.notifications
      ? {}
      : { notifications: why(...RESOURCE_ORDER) ?? "routing: not available" }),
  };
  return { facts, missing };
}

function readingFact(backfill: BackfillProgress, now: Date): ReadingFact {
  return {
    text: firstReadText(backfill, now),
    isStill: standstillOf(backfill, now) !== undefined,
    ...withoutUndefined({ operation: backfill.operationId ?? undefined }),
  };
}

/** The events that the state implies, and who gets them by the routing of now. */
function notificationFacts(record: RecordFacts, routing: LiveRouting): NotificationFact[] {
  const graph = graphOf(partsOfLists(routing, () => {}));
  return impliedEvents(record).map((event) => {
    const trace = traceEvent({ graph, source: {} }, event);
    const why = whyNobody(trace);
    return { event, destinations: trace.destinations, ...(why === undefined ? {} : { why }) };
  });
}

function impliedEvents(record: RecordFacts): string[] {
  // The event is of OAuth connections alone.
  const hasEvent = /^oauth/iu.test(record.authScheme ?? "oauth");
  const isStopped = record.reads.some(({ isPaused }) => isPaused);
  return [
    ...(record.connection === "bad_credentials" && hasEvent ? ["connection.error"] : []),
    ...(isStopped ? ["read.schedule.paused"] : []),
  ];
}

function whyNobody({ reason, topics }: EventTrace): string | undefined {
  if (reason === undefined) return undefined;
  if (reason !== "no-destination") return "no topic receives it";
  return `topic ${topics.map(({ name }) => name).join(", ")} has no destination`;
}
