import type { Installation } from "../api/schemas/installation.ts";
import type { BackfillProgress, OperationRecord } from "../api/schemas/operation.ts";
import { firstReadText, standstillOf } from "../inspect/backfills.ts";
import { lackIds } from "../notify/file/live-names.ts";
import { graphOf } from "../notify/graph/graph.ts";
import { partsOfLists } from "../notify/graph/load.ts";
import { type EventTrace, traceEvent } from "../notify/graph/trace.ts";
import { RESOURCE_ORDER } from "../notify/model/resource.ts";
import type { LiveRouting } from "../notify/plan/live.ts";
import { defined } from "../values/json.ts";
import type { Cohort } from "./cohort.ts";
import { type Facts, type ReadingFact, type RecordFacts, readNames, recordFacts } from "./facts.ts";
import { logFacts } from "./log-facts.ts";
import { operationFacts } from "./operation-facts.ts";
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
  readonly withoutLogs?: string | undefined;
}

/** The facts of a case, and why others are missing. */
export async function caseFacts(
  evidence: CleanCase,
  now: Date,
): Promise<{ readonly facts: Facts; readonly missing: Missing }> {
  const { installation, cohort, gathered, isWhole, isEmpty } = evidence;
  const record = recordFacts(installation, isEmpty);
  const [operations] = recordsOf<readonly OperationRecord[]>(gathered, "operations");
  const judged = operations && operationFacts(operations, isWhole, readNames(installation));
  const logs = gathered
    .flatMap(({ role, records, operation = "" }) =>
      role === "logs" && Array.isArray(records) ? [{ operation, lines: records }] : [],
    )
    // They arrive in any order, and the last failure says what is wrong now.
    .sort((one) => (one.operation === judged?.lastFailed?.id ? 1 : -1));
  const judgedLogs = logs.length > 0 && logFacts(logs, record.provider);
  const [destinations] = recordsOf<LiveRouting["destination"]>(gathered, "destination");
  const [backfill] = recordsOf<BackfillProgress>(gathered, "progress");
  const routing = wholeRouting(gathered);
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
    ...(routing && { notifications: notificationFacts(record, routing) }),
  };
  return { facts, missing: missingFacts(facts, evidence) };
}

function recordsOf<Records>(gathered: CleanCase["gathered"], role: Role): readonly Records[] {
  return gathered
    .filter((one) => one.role === role && one.records !== undefined)
    .map(({ records }) => records as Records);
}

/** The routing, if all of its lists were read, and show IDs. */
function wholeRouting(gathered: CleanCase["gathered"]): LiveRouting | undefined {
  const lists = RESOURCE_ORDER.map((kind) => {
    const list = recordsOf<LiveRouting[typeof kind]>(gathered, kind).at(-1);
    return [kind, list] as const;
  });
  const isWhole = lists.every(([, list]) => list !== undefined && !lackIds(list));
  return isWhole ? (Object.fromEntries(lists) as LiveRouting) : undefined;
}

function missingFacts(facts: Facts, { gathered, withoutLogs }: CleanCase): Missing {
  const noLogs = withoutLogs ?? (facts.pastLogs ? "no operation fails" : "not available");
  const unread = RESOURCE_ORDER.find((kind) => recordsOf(gathered, kind).length === 0);
  const texts = {
    operations: "operations: not available",
    logs: `logs: ${noLogs}`,
    late: "operations: not available",
    reading: "progress: no read of all records is known",
    destinations: "destinations: not available",
    notifications: `${unread ?? "routing"}: not available`,
  } satisfies Missing;
  return Object.fromEntries(
    Object.entries(texts).filter(([part]) => facts[part as keyof typeof texts] === undefined),
  );
}

function readingFact(backfill: BackfillProgress, now: Date): ReadingFact {
  return {
    text: firstReadText(backfill, now),
    isStill: standstillOf(backfill, now) !== undefined,
    ...defined({ operation: backfill.operationId ?? undefined }),
  };
}

/** The events that the state implies, and who gets them by the routing of now. */
function notificationFacts(record: RecordFacts, routing: LiveRouting) {
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
