import type { Installation } from "../api/schemas/installation.ts";
import { isPaused, readsOf } from "../inspect/config-blocks.ts";
import { groupOf } from "../inspect/installations.ts";
import { REDACTED } from "../secrets/secret.ts";
import { defined, plainText } from "../values/json.ts";
import type { CaseSummary } from "./case-schema.ts";
import type { Cohort } from "./cohort.ts";
import type { LogFacts } from "./log-facts.ts";
import type { OperationFacts } from "./operation-facts.ts";

/** An object that an installation reads. */
export interface ReadFact {
  readonly object: string;
  readonly schedule?: string | undefined;
  readonly destination?: string | undefined;
  readonly isPaused: boolean;
}

/** The facts of the record itself, in the words of the service. */
export type RecordFacts = ReturnType<typeof recordFacts>;

/** A read whose schedule came, and that has not run. */
export interface LateFact {
  readonly object: string;
  /** Whether it has never run. */
  readonly isFirst: boolean;
  /** How long ago it ran, or was configured: "3 days". */
  readonly ago: string;
}

/** A read of all records of an object that has not ended. */
export interface ReadingFact {
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
export type FactPart = Exclude<keyof Facts, "record">;

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
    // A person who is no group has the name of the consumer, which was taken out.
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

/** The facts one by one, as `--rules` lists them. */
export function listedFacts(
  { record, cohort, operations, logs, destinations, notifications }: Facts,
  missing: Readonly<Partial<Record<FactPart, string>>>,
): CaseSummary["facts"] {
  const of = (source: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).flatMap(([fact, value]) => {
      const text = Array.isArray(value) ? value.map(plainText).join(", ") : plainText(value);
      return text === "" ? [] : [{ fact, value: text, source }];
    });
  const { integration, provider } = cohort ?? {};
  return [
    ...of("installation", {
      health: record.health,
      "last operation": record.lastOperation,
      connection: record.connection,
      "config changed": record.changed,
      reads: record.reads.length,
      "paused reads": record.reads.filter(({ isPaused: paused }) => paused).length,
    }),
    ...of("installations", {
      "integration: total": integration?.total,
      "integration: failing": integration?.failing,
      "integration: failing alike": integration?.alike,
      "provider: total": provider?.total,
      "provider: failing alike": provider?.alike,
    }),
    ...of("operations", {
      "operations read": operations?.read,
      "failed since success": operations?.failed,
      "first failure": operations?.since,
      "last success": operations?.lastSuccess,
    }),
    ...of("logs", { "lines read": logs?.lines, "known cause": logs?.match?.kind }),
    ...of("destinations", { "existing destinations": destinations && [...destinations] }),
    ...of(
      "routing",
      Object.fromEntries(
        (notifications ?? []).map(({ event, destinations: to }) => [
          event,
          to.join(", ") || "nobody",
        ]),
      ),
    ),
    ...Object.entries(missing).map(([fact, why]) => ({ fact, value: "not known", source: why })),
  ];
}
