import type { Api } from "../api/operations/endpoint.ts";
import { listOperations } from "../api/operations/endpoints.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type {
  InstallationSummary,
  UnhealthyInstallation,
  ValueCount,
} from "../documents/inspect.ts";
import { assertFailure, isNotRecorded, NotFoundError } from "../errors.ts";
import { batchesOf, countedBatches, countingLine } from "../values/batches.ts";
import { counted, numberText } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { durationText, timeOf } from "../values/time.ts";
import {
  type Block,
  type Cell,
  dimBlock,
  id,
  joined,
  type Page,
  time,
  toned,
} from "../view/view.ts";
import {
  groupName,
  type InstallationScope,
  installationPath,
  integrationNames,
  stateCell,
  streamInstallations,
} from "./installations.ts";

type SummaryField = keyof typeof FIELDS;

/** The value of an installation in each field, in the order of reading. */
const FIELDS = {
  health: ({ healthStatus }) => healthStatus,
  lastOperation: ({ lastOperationStatus }) => lastOperationStatus,
  connection: ({ connection }) => connection.status,
  provider: ({ config, connection }) => config.content?.provider || connection.provider,
  integration: ({ integrationId }) => integrationId,
} as const satisfies Readonly<
  Record<string, (installation: Installation) => string | null | undefined>
>;

const FIELD_NAMES = Object.keys(FIELDS) as SummaryField[];

type SummaryContext = Pick<CommandContext, "api" | "report" | "signal">;

/**
 * Counts the installations of a scope as the list arrives, in memory that depends on the number of
 * different values and of unhealthy installations alone.
 * @param lookups the maximum of unhealthy installations whose operations are read, and its time
 */
export async function summariseInstallations(
  context: SummaryContext,
  scope: InstallationScope,
  lookups: { readonly most: number; readonly withinMs?: number },
): Promise<InstallationSummary> {
  const { api, report } = context;
  // The names arrive while the list does; a failure is reported where they are awaited.
  const named = integrationNames(api, scope.project);
  named.catch(() => {});
  const counted = byField(() => new Map<string | null, number>());
  const unhealthy: UnhealthyInstallation[] = [];
  let total = 0;
  const list = await streamInstallations(api, scope);
  for await (const batch of countedBatches(list, report, "Counting the installations")) {
    for (const installation of batch) {
      for (const field of FIELD_NAMES) {
        const value = FIELDS[field](installation) || null;
        const counts = counted[field];
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      if (installation.healthStatus === "unhealthy") unhealthy.push(unhealthyFacts(installation));
    }
    total += batch.length;
  }
  const names = await named;
  const { times, served, lookedUp } = await failingSince(
    context,
    scope.project,
    unhealthy.slice(0, lookups.most),
    { of: total, withinMs: lookups.withinMs },
  );
  const { project, integration, groupRef } = scope;
  return {
    project,
    ...defined({ integration, groupRef }),
    installations: total,
    counts: byField((field) => sorted(counted[field], field === "integration" ? names : undefined)),
    ...defined({ operationsServed: served }),
    lookedUp,
    unhealthy: longestFirst(
      unhealthy.map((one) => {
        const since = times.get(one.id);
        return {
          ...one,
          ...defined({ integrationName: names.get(one.integrationId) }),
          ...(since && { failingSince: since.time }),
          ...(since?.atLeast && { failingLonger: true }),
        };
      }),
    ),
  };
}

function unhealthyFacts(installation: Installation): UnhealthyInstallation {
  const { id, integrationId, lastOperationStatus, connection } = installation;
  return defined({
    id,
    integrationId,
    group: groupName(installation),
    provider: FIELDS.provider(installation) || undefined,
    lastOperationStatus: lastOperationStatus || undefined,
    connectionStatus: connection.status || undefined,
  });
}

/** The installations with a time in its order, then the others as they were. */
function longestFirst(all: readonly UnhealthyInstallation[]): UnhealthyInstallation[] {
  const startOf = ({ failingSince }: UnhealthyInstallation) =>
    timeOf(failingSince) ?? Number.MAX_VALUE;
  return all.toSorted((one, other) => startOf(one) - startOf(other));
}

function byField<Value>(make: (field: SummaryField) => Value) {
  const entries = FIELD_NAMES.map((field) => [field, make(field)] as const);
  return Object.fromEntries(entries) as Record<SummaryField, Value>;
}

/** @param names of the values, where they have some */
function sorted(
  counts: ReadonlyMap<string | null, number>,
  names: ReadonlyMap<string, string> | undefined,
): ValueCount[] {
  return [...counts]
    .map(([value, count]) => defined({ value, name: names?.get(value ?? ""), count }))
    .sort((a, b) => b.count - a.count || ((a.value ?? "") < (b.value ?? "") ? -1 : 1));
}

type LookedUp = Pick<Installation, "id" | "integrationId">;

/** The first failed operation since the last one that succeeded. */
interface FailingSince {
  /** The time of it, as the service sent it. */
  readonly time: string;
  /** Whether older operations failed too, and were not read. */
  readonly atLeast: boolean;
}

/** Since when installations fail, by their ID. */
interface FailingTimes {
  /** Whether the service shows operations; undefined if none was requested. */
  readonly served: boolean | undefined;
  /** The number of installations whose operations were read. */
  readonly lookedUp: number;
  readonly times: ReadonlyMap<string, FailingSince>;
}

/** The operations of an installation that are read, by page and at most: as many as for a case. */
const PAGE_SIZE = 200;
const MAX_OPERATIONS = 1_000;
/** The requests at once: the service has others to answer. */
const AT_ONCE = 4;

/**
 * Reads the operations of installations, newest first, until one succeeded. Where one cannot be
 * read, the others are, and a warning says so.
 * @param limits `of`: the number of installations in the list; `withinMs`: those whose operations
 * are not read by then are left out
 */
async function failingSince(
  { api, report, signal }: Pick<CommandContext, "api" | "report" | "signal">,
  project: string,
  installations: readonly LookedUp[],
  { of, withinMs }: { readonly of: number; readonly withinMs: number | undefined },
): Promise<FailingTimes> {
  const times = new Map<string, FailingSince>();
  const failures: string[] = [];
  const left = [...installations];
  let served: boolean | undefined;
  let lookedUp = 0;
  let isOver = false;
  const does = `${counted(of, "installation")}, looking up the unhealthy`;
  const progress = countingLine(report, does, installations.length);
  const work = async () => {
    for (let next = left.shift(); next !== undefined && served !== false; next = left.shift()) {
      signal.throwIfAborted();
      try {
        const since = await firstFailure(api, project, next);
        if (isOver) return;
        if (since) times.set(next.id, since);
        served = true;
      } catch (error) {
        if (isOver) return;
        assertFailure(error);
        // The installation was listed a moment ago: the API lacks the operation.
        const isMissing = error instanceof NotFoundError && !isNotRecorded(error);
        if (isMissing && served === undefined) served = false;
        else failures.push(error.message);
        continue;
      }
      lookedUp += 1;
      progress.show(lookedUp);
    }
  };
  const late = Promise.withResolvers<true>();
  const timer = withinMs === undefined ? undefined : setTimeout(late.resolve, withinMs, true);
  let isLate = false;
  try {
    if (installations.length > 0) progress.show(0);
    // A request that is still open ends with the process.
    const done = Promise.all(Array.from({ length: AT_ONCE }, work));
    isLate = (await Promise.race([done, late.promise])) === true;
  } finally {
    isOver = true;
    clearTimeout(timer);
    progress.end();
  }
  if (isLate && served === undefined) {
    report.warn(
      `The service answered no request for operations within ${durationText(withinMs ?? 0)}.`,
    );
  }
  const [first] = failures;
  if (first !== undefined) {
    const count = counted(failures.length, "installation");
    report.warn(`Could not look up the operations of ${count}: ${first}`);
  }
  return { served, lookedUp, times };
}

async function firstFailure(
  api: Api,
  project: string,
  installation: LookedUp,
): Promise<FailingSince | undefined> {
  const path = installationPath(project, installation);
  const query = { pageSize: String(PAGE_SIZE) };
  let oldest: string | undefined;
  let count = 0;
  for await (const batch of batchesOf(await api.list(listOperations, { path, query }))) {
    for (const { status, createTime } of batch) {
      if (status === "success")
        return oldest === undefined ? undefined : { time: oldest, atLeast: false };
      if (status === "failure") oldest = createTime ?? oldest;
      count += 1;
      if (count >= MAX_OPERATIONS && oldest !== undefined) return { time: oldest, atLeast: true };
    }
  }
  // The first operations of a new installation may fail; older ones may also have been deleted.
  return oldest === undefined ? undefined : { time: oldest, atLeast: true };
}

/** The headings of the counts, in the order of reading. */
const HEADINGS = {
  health: "Health",
  lastOperation: "Last operation",
  connection: "Connection",
  provider: "Provider",
  integration: "Integration",
} as const satisfies Readonly<Record<SummaryField, string>>;

/** The fields whose values are states, which have words and tones. */
const STATES: ReadonlySet<SummaryField> = new Set(["health", "lastOperation", "connection"]);

/** The bars of a field, and the unhealthy installations, that a terminal shows. */
const SHOWN_BARS = 12;
const SHOWN_INSTALLATIONS = 20;
const NAMED = 3;

/** The counts of installations as a page: a bar for each value, then those that are unhealthy. */
export function summaryPage(summary: InstallationSummary): Page {
  const { project, integration, groupRef, installations, counts } = summary;
  const name = counts.integration.find(({ value }) => value === integration)?.name;
  return {
    title: counted(installations, "installation"),
    aside:
      joined([
        `project ${project}`,
        integration && `integration ${name ?? integration}`,
        groupRef && `group ${groupRef}`,
      ]) ?? "",
    blocks: [
      ...(Object.entries(HEADINGS) as [SummaryField, string][]).flatMap(([field, heading]) =>
        installations > 0 ? barsOf(field, heading, counts[field]) : [],
      ),
      ...unhealthyBlocks(summary),
    ],
  };
}

function barsOf(field: SummaryField, heading: string, counts: readonly ValueCount[]): Block {
  return {
    kind: "bars",
    heading,
    bars: counts.map(({ value, name, count }) => ({
      label: labelOf(field, value, name),
      count,
    })),
    maxBars: SHOWN_BARS,
  };
}

function labelOf(field: SummaryField, value: string | null, name: string | undefined): Cell {
  if (value === null) return toned("dim", "(none)");
  if (STATES.has(field)) return stateCell(value);
  return name === undefined ? value : { text: name, raw: value };
}

function unhealthyBlocks(summary: InstallationSummary): Block[] {
  const { unhealthy: all } = summary;
  if (all.length === 0) return [];
  const more = all.length - SHOWN_INSTALLATIONS;
  const note = noteOnTimes(summary);
  return [
    {
      kind: "grid",
      heading: "Unhealthy",
      columns: ["Group", "Failing since", "Connection", "ID"],
      rows: all.map(unhealthyRow),
      onTerminal: all.slice(0, SHOWN_INSTALLATIONS).map(unhealthyRow),
    },
    ...(more > 0
      ? [{ ...dimBlock(`and ${numberText(more)} more`), onTerminal: true } as const]
      : []),
    ...(note === "" ? [] : [dimBlock(note)]),
    {
      kind: "command",
      lines: [
        suggest("installations get", [{ placeholder: "id" }]),
        ...(more > 0 ? [listOfAll(summary)] : []),
      ],
    },
  ];
}

function listOfAll({ integration, groupRef }: InstallationSummary) {
  const scope = { groupRef, filter: ["health=unhealthy"] };
  return integration === undefined
    ? suggest("installations list", [], { allIntegrations: true, ...scope })
    : suggest("installations list", [integration], scope);
}

/** The note on the times; empty if all of them are known. */
function noteOnTimes({ operationsServed, lookedUp, unhealthy }: InstallationSummary): string {
  if (operationsServed === undefined) return "";
  if (!operationsServed) return "This service does not report when installations began to fail.";
  const longer = unhealthy
    .filter(({ failingLonger }) => failingLonger)
    .map(({ id: own, group }) => (group ? `${group} (${own})` : own));
  const others = longer.length - NAMED;
  const named = [...longer.slice(0, NAMED), ...(others > 0 ? [`${others} more`] : [])].join(", ");
  return [
    longer.length > 0 && `Possibly longer, because no earlier success was found: ${named}.`,
    lookedUp < unhealthy.length &&
      `Looked up ${lookedUp} of ${unhealthy.length}, longest first; ${moreLookups(unhealthy.length)}.`,
  ]
    .filter((text) => text !== false)
    .join(" ");
}

/** The option that looks up the others: it takes no more than 10,000. */
function moreLookups(count: number): string {
  return count <= 10_000 ? `--lookups ${count} looks up all of them` : "--lookups sets the number";
}

function unhealthyRow(one: UnhealthyInstallation): Cell[] {
  return [
    one.group ?? toned("dim", "(no group)"),
    time(one.failingSince),
    stateCell(one.connectionStatus),
    id(one.id),
  ];
}
