import type { Cron } from "croner";
import type { Installation } from "../api/schemas/installation.ts";
import type { BackfillProgress, OperationRecord } from "../api/schemas/operation.ts";
import type { CaseSummary } from "../documents/case.ts";
import { firstReadText, standstillOf } from "../inspect/backfills.ts";
import { isPaused, readsOf } from "../inspect/config-blocks.ts";
import { groupOf } from "../inspect/installations.ts";
import { lackIds } from "../notify/file/live-names.ts";
import { graphOf } from "../notify/graph/graph.ts";
import { partsOfLists } from "../notify/graph/load.ts";
import { traceEvent } from "../notify/graph/trace.ts";
import { RESOURCE_ORDER } from "../notify/model/resource.ts";
import type { LiveRouting } from "../notify/plan/live.ts";
import { REDACTED } from "../secrets/secret.ts";
import { tried } from "../values/basics.ts";
import { defined, plainText } from "../values/json.ts";
import { DAY_MS, sinceText, timeOf } from "../values/time.ts";
import { type LogFacts, logFacts } from "./log-facts.ts";
import { type OperationFacts, objectsOf, operationFacts } from "./operation-facts.ts";
import type { GatheredAnswer, MissingEvidence, Role } from "./recorder.ts";
import type { Cohort } from "./target.ts";

/** An object that an installation reads. */
export interface ReadFact {
  readonly object: string;
  readonly schedule?: string | undefined;
  readonly destination?: string | undefined;
  readonly isPaused: boolean;
}

/** The facts of the record itself, in the words of the service. */
type RecordFacts = ReturnType<typeof recordFacts>;

/** A read whose schedule came, and that has not run. */
interface LateFact {
  readonly object: string;
  /** Whether it has never run. */
  readonly isFirst: boolean;
  /** How long ago it ran, or was configured: "3 days". */
  readonly ago: string;
}

/** A read of all records of an object that has not ended. */
interface ReadingFact {
  /** How far it has come: "reads all records of contacts for the first time, 4%". */
  readonly text: string;
  /** Whether it makes no progress. */
  readonly isStill: boolean;
  readonly operation?: string;
}

/** Everything that rules judge. A part that the service does not tell is absent. */
export interface Facts {
  readonly record: RecordFacts;
  readonly cohort?: Cohort;
  readonly operations?: OperationFacts;
  readonly logs?: LogFacts;
  /** The log of the last failure, where nothing fails now; no rule judges it. */
  readonly pastLogs?: LogFacts;
  /** How to get the operations, or the log of the last failure, where these could not be read. */
  readonly unread?: string;
  /** The read of all records that has not ended. */
  readonly reading?: ReadingFact;
  /** The names of the existing destinations. */
  readonly destinations?: ReadonlySet<string>;
  /** The events that the state implies, and who gets them. */
  readonly notifications?: NonNullable<CaseSummary["notifications"]>;
  /** The reads whose schedule never comes, by object; with the schedule. */
  readonly idle?: readonly ReadFact[];
  /** The reads that have not run for a day although their schedule came twice. */
  readonly late?: readonly LateFact[];
}

/** A part of the facts that a rule may need. */
export type FactPart = Exclude<keyof Facts, "record" | "unread">;

/** Why a part of the facts is not known, in words that follow "missing: ". */
export type Missing = Readonly<Partial<Record<FactPart, string>>>;

/** The evidence of which facts are made: nothing in it must not be shown. */
interface CleanCase {
  readonly installation: Installation;
  readonly cohort: Cohort;
  readonly gathered: readonly GatheredAnswer[];
  readonly isWhole: boolean;
  /** The only object whose operations are judged; absent: all. */
  readonly object?: string | undefined;
  /** Whether the config says that nothing is read, written or subscribed to. */
  readonly isEmpty: boolean;
  readonly withoutLogs?: string | undefined;
  readonly missingEvidence: readonly MissingEvidence[];
}

/** The facts of a case, and why others are missing. */
export async function caseFacts(
  clean: CleanCase,
  now: Date,
): Promise<{ readonly facts: Facts; readonly missing: Missing }> {
  const { installation, cohort, gathered, isWhole, isEmpty, withoutLogs, missingEvidence } = clean;
  const recordsOf = <Records>(role: Role): Records | undefined =>
    gathered.find((one) => one.role === role && one.records !== undefined)?.records as Records;
  const record = recordFacts(installation, isEmpty);
  const listed = recordsOf<readonly OperationRecord[]>("operations");
  const judged = operationsOn(listed, clean.object);
  const operations = judged && operationFacts(judged, isWhole, readNames(installation));
  const logs = logFactsOf(gathered, operations?.lastFailed?.id, record.provider);
  const destinations = recordsOf<LiveRouting["destination"]>("destination");
  const backfill = recordsOf<BackfillProgress>("progress");
  const lists = RESOURCE_ORDER.map((kind) => [kind, recordsOf<LiveRouting[typeof kind]>(kind)]);
  const unread = lists.find(([, list]) => list === undefined)?.[0];
  const isRouting = lists.every(([, list]) => Array.isArray(list) && !lackIds(list));
  const facts: Facts = {
    record,
    cohort,
    ...(await scheduleFacts(record, listed, isWhole, now)),
    ...defined({
      operations,
      logs: operations?.recovered ? undefined : logs,
      pastLogs: operations?.recovered ? logs : undefined,
      unread: unreadAdvice(record.id, operations, logs, missingEvidence),
      reading: backfill && readingFact(backfill, now),
      destinations: destinations && new Set(destinations.flatMap(({ name }) => name || [])),
      notifications: isRouting
        ? notificationFacts(record, Object.fromEntries(lists) as LiveRouting)
        : undefined,
    }),
  };
  const texts = {
    operations: "operations: not available",
    logs: `logs: ${withoutLogs ?? (facts.pastLogs ? "no operation fails" : "not available")}`,
    late: "operations: not available",
    reading: "progress: no read of all records is known",
    destinations: "destinations: not available",
    notifications: `${unread ?? "routing"}: not available`,
  } satisfies Missing;
  const missing = Object.entries(texts).filter(([part]) => facts[part as FactPart] === undefined);
  return { facts, missing: Object.fromEntries(missing) };
}

/** The operations of one object, or all. */
export function operationsOn(
  operations: readonly OperationRecord[] | undefined,
  object: string | undefined,
): readonly OperationRecord[] | undefined {
  if (object === undefined) return operations;
  return operations?.filter((one) => objectsOf(one).includes(object));
}

function unreadAdvice(
  id: string,
  operations: OperationFacts | undefined,
  logs: LogFacts | undefined,
  missingEvidence: readonly MissingEvidence[],
): string | undefined {
  const failed = operations?.lastFailed?.id;
  if (operations !== undefined && (failed === undefined || logs !== undefined)) return undefined;
  const wanted = operations === undefined ? "operations" : `logs of ${failed}`;
  const reason = missingEvidence.find(({ what }) => what === wanted)?.reason;
  if (reason === "not-supported" || reason === "not-found") {
    return `ask platform support about ${failed ?? id}`;
  }
  if (operations === undefined) {
    return `list the operations again (amp installations operations ${id})`;
  }
  const again = `read the log again (amp installations logs ${failed})`;
  return reason === undefined ? `read the log of ${failed}` : again;
}

function logFactsOf(
  gathered: readonly GatheredAnswer[],
  lastFailed: string | undefined,
  provider: string | undefined,
): LogFacts | undefined {
  const logs = gathered.flatMap(({ role, records, operation = "" }) =>
    role === "logs" && Array.isArray(records) ? [{ operation, lines: records }] : [],
  );
  // They arrive in any order, and the last failure says what is wrong now.
  const rank = ({ operation }: { readonly operation: string }) => Number(operation === lastFailed);
  logs.sort((one, other) => rank(one) - rank(other));
  return logs.length > 0 ? logFacts(logs, provider) : undefined;
}

/**
 * The facts of an installation's own record.
 * @param isEmpty whether its config says that nothing is read, written or subscribed to
 */
export function recordFacts(installation: Installation, isEmpty: boolean) {
  const { config, connection } = installation;
  const group = groupOf(installation);
  const names = [group?.groupName, group?.groupRef];
  return defined({
    id: installation.id,
    // A person without a group has the name of the consumer, which was taken out.
    group: names.find((name) => name && name !== REDACTED) || undefined,
    provider: config.content?.provider ?? connection.provider ?? undefined,
    integrationId: installation.integrationId,
    health: installation.healthStatus,
    lastOperation: installation.lastOperationStatus ?? undefined,
    connection: connection.status ?? undefined,
    authScheme: connection.authScheme ?? undefined,
    installed: installation.createTime,
    changed: installation.updateTime ?? undefined,
    /** Who made the config: `consumer:<id>` or `builder:<id>`. */
    changedBy: config.createdBy ?? undefined,
    reads: readsOf(config).map(
      ([name, object]): ReadFact => ({
        object: object.objectName || name,
        schedule: object.schedule || undefined,
        destination: object.destination || undefined,
        isPaused: isPaused(object),
      }),
    ),
    isEmpty,
  });
}

/**
 * The objects that a configuration reads, by each of their names; undefined where it is not known.
 */
export function readNames({ config }: Installation): readonly string[] | undefined {
  // None may be a config that could not be read.
  const reads = readsOf(config);
  if (reads.length === 0) return undefined;
  return reads.flatMap(([name, { objectName }]) => [name, objectName || name]);
}

/** The objects that an installation reads, and whether each fails. */
export function objectStates({ record, operations }: Facts): CaseSummary["objects"] {
  const states = (operations?.action === "read" && operations.states) || [];
  return record.reads.map(({ object, isPaused: paused }) => {
    const known = states.find((one) => one.object === object);
    const works = known && "works";
    return { object, state: known?.fails ? "fails" : paused ? "paused" : (works ?? "unknown") };
  });
}

/** Whether an installation fails by what its record says. */
export function isFailing({ health, lastOperation, connection }: RecordFacts): boolean {
  return health === "unhealthy" || lastOperation === "failure" || connection === "bad_credentials";
}

/** Whether an installation fails, by its record or by its operations, which are newer. */
export function fails({ record, operations }: Facts): boolean {
  return isFailing(record) || (operations?.failed ?? 0) > 0;
}

/**
 * The states of a record that neither fail nor are known to be fine, in the words of the service.
 */
export function strangeStates({ record, operations }: Facts): readonly string[] {
  const { health, connection = "working", lastOperation = "success" } = record;
  return [
    ...(health === "healthy" ? [] : [`the health ${JSON.stringify(health)}`]),
    ...(["working", "created"].includes(connection)
      ? []
      : [`the connection status ${JSON.stringify(connection)}`]),
    ...(["success", "in_progress"].includes(lastOperation)
      ? []
      : [`the status ${JSON.stringify(lastOperation)} of the last operation`]),
    ...(operations?.strange ? [`an operation as ${JSON.stringify(operations.strange)}`] : []),
  ];
}

/** The objects that are read and not paused. */
export function activeReads({ reads }: RecordFacts): readonly ReadFact[] {
  return reads.filter((read) => !read.isPaused);
}

function readingFact(backfill: BackfillProgress, now: Date): ReadingFact {
  return {
    text: firstReadText(backfill, now),
    isStill: standstillOf(backfill, now) !== undefined,
    ...defined({ operation: backfill.operationId ?? undefined }),
  };
}

/** The events that the state implies, and who gets them by the routing of now. */
function notificationFacts({ authScheme, connection, reads }: RecordFacts, routing: LiveRouting) {
  // The event is of OAuth connections alone.
  const hasEvent = /^oauth/iu.test(authScheme ?? "oauth");
  const implied = [
    ...(connection === "bad_credentials" && hasEvent ? ["connection.error"] : []),
    ...(reads.some((read) => read.isPaused) ? ["read.schedule.paused"] : []),
  ];
  const graph = graphOf(partsOfLists(routing, () => {}));
  return implied.map((event) => {
    const { destinations, reason, topics } = traceEvent({ graph, source: {} }, event);
    const names = topics.map(({ name }) => name).join(", ");
    const why =
      reason === "no-destination"
        ? `topic ${names} has no destination`
        : reason && "no topic receives it";
    return { event, destinations, ...defined({ why }) };
  });
}

/**
 * The facts from the schedules of the active reads: which never come, and which came although
 * nothing ran. One that amp cannot read is not judged.
 * @param operations the newest first; undefined where the service has none
 * @param isWhole whether they go back to the first one
 */
async function scheduleFacts(
  record: RecordFacts,
  operations: readonly OperationRecord[] | undefined,
  isWhole: boolean,
  now: Date,
): Promise<Pick<Facts, "idle" | "late">> {
  const reads = activeReads(record).filter(({ schedule }) => schedule !== undefined);
  // Of operations that are all older than what was asked for, nothing is known.
  const isKnown = operations !== undefined && (isWhole || operations.length > 0);
  if (reads.length === 0) return { idle: [], ...(isKnown && { late: [] }) };
  const croner = await import("croner");
  const crons = reads.flatMap((read): (readonly [ReadFact, Cron])[] => {
    const options = { timezone: "UTC", paused: true };
    const cron = tried(() => new croner.Cron(read.schedule ?? "", options));
    return cron === undefined ? [] : [[read, cron]];
  });
  return {
    idle: crons.flatMap(([read, cron]) => (cron.nextRun(now) === null ? [read] : [])),
    ...(isKnown && {
      late: crons.flatMap(([read, cron]) => {
        const last = lastRun(read, record, operations, isWhole);
        if (last === undefined || !isLate(cron, last.at, now)) return [];
        const ago = sinceText(last.at.toISOString(), now) ?? "a day";
        return [{ object: read.object, isFirst: last.isFirst, ago }];
      }),
    }),
  };
}

/** When an object was last read, or since when it is configured; undefined while it is read. */
function lastRun(
  { object }: ReadFact,
  { installed, changed }: RecordFacts,
  operations: readonly OperationRecord[],
  isWhole: boolean,
) {
  const newest = operations.find((one) => {
    const objects = objectsOf(one);
    return objects.length === 0 || objects.includes(object);
  });
  if (newest?.status === "in_progress") return undefined;
  const oldest = isWhole ? undefined : operations.at(-1);
  const times = [changed ?? installed, (newest ?? oldest)?.createTime].map(timeOf);
  const known = times.filter((time) => time !== undefined);
  // A clock of a record alone, without the time of its operation, says nothing.
  if (known.length === 0 || (newest && times[1] === undefined)) return undefined;
  return { at: new Date(Math.max(...known)), isFirst: newest === undefined && isWhole };
}

/** Whether a schedule has come twice since a time, the first time more than a day ago. */
function isLate(cron: Cron, since: Date, now: Date): boolean {
  const first = cron.nextRun(since);
  const second = first && cron.nextRun(first);
  return second !== null && second < now && now.getTime() - (first?.getTime() ?? 0) > DAY_MS;
}

/** The facts one by one, as `--rules` lists them. */
export function listedFacts(facts: Facts, missing: Missing): CaseSummary["facts"] {
  const { record, cohort, operations, logs, destinations, notifications = [] } = facts;
  const bySource: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    installation: {
      health: record.health,
      "last operation": record.lastOperation,
      connection: record.connection,
      "config changed": record.changed,
      reads: record.reads.length,
      "paused reads": record.reads.length - activeReads(record).length,
    },
    installations: {
      "integration: total": cohort?.integration.total,
      "integration: failing": cohort?.integration.failing,
      "integration: failing alike": cohort?.integration.alike,
      "provider: total": cohort?.provider.total,
      "provider: failing alike": cohort?.provider.alike,
    },
    operations: {
      "operations read": operations?.read,
      "failed since success": operations?.failed,
      "first failure": operations?.since,
      "last success": operations?.lastSuccess,
    },
    logs: { "lines read": logs?.lines, "known cause": logs?.match?.kind },
    destinations: { "existing destinations": [...(destinations ?? [])].join(", ") },
    routing: Object.fromEntries(
      notifications.map(({ event, destinations: to }) => [event, to.join(", ") || "nobody"]),
    ),
  };
  const known = Object.entries(bySource).flatMap(([source, values]) =>
    Object.entries(values).map(([fact, value]) => ({ fact, value: plainText(value), source })),
  );
  return [
    ...known.filter(({ value }) => value !== ""),
    ...Object.entries(missing).map(([fact, why]) => ({ fact, value: "not known", source: why })),
  ];
}
