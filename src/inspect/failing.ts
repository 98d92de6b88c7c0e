/** Reads since when installations fail, and why: their operations, and a log for each cause. */

import type { ListResult } from "../api/operations/endpoint.ts";
import { listOperationLogs, listOperations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { LogEntry, OperationRecord } from "../api/schemas/operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { UnhealthyInstallation } from "../documents/inspect.ts";
import { assertFailure, isNotRecorded, NotFoundError } from "../errors.ts";
import { allItems, batchesOf, countingLine } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { matches, parseFilter } from "../values/filter.ts";
import { defined, isJsonObject, plainText } from "../values/json.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { durationText } from "../values/time.ts";
import { findName, isSameColumn } from "../view/list-names.ts";
import {
  DEFAULT_LOOKUPS,
  type LookedUp,
  lookupNote,
  MAX_LOOKUPS,
  nextLookups,
} from "./incidents.ts";
import {
  CAUSE_COLUMNS,
  groupName,
  INSTALLATION_NAMES,
  installationPath,
  type NamedInstallation,
} from "./installations.ts";

type FailingContext = Pick<CommandContext, "api" | "report" | "signal">;
type Failing = Pick<
  UnhealthyInstallation,
  "id" | "integrationId" | "provider" | "connectionStatus" | "lastOperationStatus"
>;

/** A slow service must not keep a reader from what is known without lookups. */
const WITHIN_MS = 20_000;

/** What was read, by the ID of the installation. */
interface FailingFacts {
  /** Whether the service shows operations; undefined if none was requested. */
  readonly served: boolean | undefined;
  readonly known: ReadonlyMap<string, LookedUp>;
  readonly requests: number;
}

/** The most requests for logs, and the part of all that is left for them and for longer lists. */
const MOST_LOGS = 10;
const LATER_SHARE = 3;
/** The newest operations of an installation, which say the cause. */
const FIRST_PAGE = 50;
/** The older ones, which say since when: by page and at most, as many as for a case. */
const PAGE_SIZE = 500;
const MAX_OPERATIONS = 1_000;
/** The requests at once: the service has others to answer. */
const AT_ONCE = 4;

/** The operations of an installation, of which the newest failed one has the log of the cause. */
interface Read extends LookedUp {
  readonly provider?: string | undefined;
  readonly operation?: string | undefined;
  /** Whether older operations may say that it has failed for longer. */
  readonly isOpen?: boolean;
}

/** One reading: what is still allowed, and what was found. */
interface Lookup {
  readonly context: FailingContext;
  readonly project: string;
  readonly read: Map<string, Read>;
  readonly failures: Map<string, string>;
  left: number;
  served: boolean | undefined;
  isOver: boolean;
}

/**
 * Looks up unhealthy installations, the most telling first. Where one cannot be read, the others
 * are, and a warning says so.
 * @param lookups the maximum of requests; undefined: a few, and for a limited time
 */
export async function lookUpFailing(
  context: FailingContext,
  project: string,
  failing: readonly Failing[],
  lookups: number | undefined,
): Promise<FailingFacts> {
  const { report } = context;
  const requests = lookups ?? DEFAULT_LOOKUPS;
  const lookup: Lookup = {
    context,
    project,
    read: new Map(),
    failures: new Map(),
    left: requests,
    served: undefined,
    isOver: false,
  };
  const late = Promise.withResolvers<true>();
  const timer = lookups === undefined ? setTimeout(late.resolve, WITHIN_MS, true) : undefined;
  let isLate = false;
  try {
    // A request that is still open ends with the process.
    isLate = (await Promise.race([readAll(lookup, failing), late.promise])) === true;
  } finally {
    lookup.isOver = true;
    clearTimeout(timer);
  }
  const { served, read, failures } = lookup;
  if (isLate && served === undefined) {
    report.warn(
      `The service answered no request for operations within ${durationText(WITHIN_MS)}.`,
    );
  }
  const [first] = failures.values();
  if (first !== undefined) {
    const count = counted(failures.size, "installation");
    report.warn(`Could not look up the operations of ${count}: ${first}`);
  }
  for (const id of failures.keys()) read.delete(id);
  return { served, known: read, requests: requests - lookup.left };
}

async function readAll(lookup: Lookup, failing: readonly Failing[]): Promise<undefined> {
  const { context, read } = lookup;
  const later = Math.floor(lookup.left / LATER_SHARE);
  const progress = countingLine(context.report, "Looking up the causes", failing.length);
  const isEnough = () => lookup.left <= later || lookup.served === false || lookup.isOver;
  try {
    while (!isEnough()) {
      const queue = nextLookups(failing, read);
      if (queue.length === 0) break;
      await atOnce(queue, async (one) => {
        if (isEnough()) return;
        await readOne(lookup, one);
        progress.show(read.size);
      });
    }
    await readLogs(lookup);
    await readOlder(lookup, failing);
  } finally {
    progress.end();
  }
  return undefined;
}

async function atOnce<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function readOne(lookup: Lookup, one: Failing): Promise<void> {
  const { context, read, failures } = lookup;
  context.signal.throwIfAborted();
  try {
    const operations = await failedOperations(lookup, one, FIRST_PAGE);
    if (lookup.isOver) return;
    read.set(one.id, { ...operations, provider: one.provider });
    lookup.served = true;
  } catch (error) {
    if (lookup.isOver) return;
    assertFailure(error);
    // The installation was listed a moment ago: the API lacks the operation.
    const isMissing = error instanceof NotFoundError && !isNotRecorded(error);
    if (isMissing && lookup.served === undefined) lookup.served = false;
    else failures.set(one.id, error.message);
    if (lookup.served !== false) read.set(one.id, {});
  }
}

/** Reads further back since when installations fail: first one of each provider and cause. */
async function readOlder(lookup: Lookup, failing: readonly Failing[]): Promise<void> {
  const { read, context } = lookup;
  const open = failing.filter(({ id }) => read.get(id)?.isOpen);
  const alike = Map.groupBy(open, ({ id, provider }) => `${provider} ${read.get(id)?.cause}`);
  const ranked = [...alike.values()].flatMap((some) => some.map((one, rank) => ({ one, rank })));
  const queue = ranked.toSorted((one, other) => one.rank - other.rank);
  await atOnce(queue, async ({ one }) => {
    if (lookup.left <= 0 || lookup.isOver) return;
    context.signal.throwIfAborted();
    const older = await ifAvailable(failedOperations(lookup, one, PAGE_SIZE));
    if (older === undefined || lookup.isOver) return;
    read.set(one.id, { ...read.get(one.id), since: older.since, atLeast: older.atLeast });
  });
}

/** Reads operations, newest first, until one succeeded; of small pages the first alone. */
async function failedOperations(lookup: Lookup, one: Failing, pageSize: number): Promise<Read> {
  const path = installationPath(lookup.project, one);
  const query = { pageSize: String(pageSize) };
  let newest: OperationRecord | undefined;
  let since: string | undefined;
  let count = 0;
  const found = (atLeast: boolean, isOpen = false): Read => ({
    since,
    isOpen,
    atLeast: atLeast && since !== undefined,
    operation: newest?.id ?? undefined,
    cause: newest?.result?.replace(/^\[[^\]]*\] */u, "") || undefined,
  });
  lookup.left -= 1;
  const list = await lookup.context.api.list(listOperations, { path, query });
  for await (const batch of batchesOf(list)) {
    for (const operation of batch) {
      if (operation.status === "success") return found(false);
      if (operation.status === "failure") {
        newest ??= operation;
        since = operation.createTime ?? since;
      }
      count += 1;
    }
    if (batch.length < pageSize) continue;
    const isEnough = pageSize === FIRST_PAGE || count >= MAX_OPERATIONS || lookup.left <= 0;
    if (isEnough && since !== undefined) return found(true, true);
    lookup.left -= 1;
  }
  // The first operations of a new installation may fail; older ones may also have been deleted.
  return found(true);
}

/** Puts the error of a log in place of the result, of which each has one log read. */
async function readLogs(lookup: Lookup): Promise<void> {
  const { read, context, project } = lookup;
  const failed = [...read.entries()].filter(([, { operation }]) => operation !== undefined);
  const alike = [
    ...Map.groupBy(failed, ([, { provider, cause }]) => `${provider} ${cause}`).values(),
  ]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, Math.max(0, Math.min(MOST_LOGS, lookup.left)));
  await atOnce(alike, async (members) => {
    const operationId = members[0]?.[1].operation ?? "";
    const path = { projectIdOrName: project, operationId };
    lookup.left -= 1;
    const lines = await ifAvailable(context.api.call(listOperationLogs, { path }));
    const cause = lastError(lines ?? []);
    if (cause === undefined || lookup.isOver) return;
    for (const [id, one] of members) read.set(id, { ...one, cause });
  });
}

function lastError(lines: readonly LogEntry[]): string | undefined {
  const line: unknown = lines.findLast(
    (one: unknown) =>
      isJsonObject(one) && /error|critical|alert|emergency|fatal/iu.test(plainText(one.severity)),
  );
  if (!isJsonObject(line)) return undefined;
  const { message } = line;
  const text = isJsonObject(message) ? (message.error ?? message.msg) : message;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/**
 * A list whose views show since when and why unhealthy installations fail. It is kept in memory.
 */
export async function withCauses(
  context: FailingContext & Pick<CommandContext, "output" | "now"> & { readonly project: string },
  list: ListResult<NamedInstallation>,
  lookups: number | undefined,
): Promise<readonly NamedInstallation[]> {
  const isWanted = filterWithoutCauses(context);
  const all = await allItems(list);
  const failing = all
    .filter((one) => one.healthStatus === "unhealthy" && isWanted(one))
    .map(unhealthyFacts);
  // A filter by a cause that is only likely would leave rows out, so all are looked up.
  const facts = await lookUpFailing(context, context.project, failing, lookups ?? MAX_LOOKUPS);
  const note = facts.served ? lookupNote(facts.known.size, failing.length, facts.requests) : "";
  if (note !== "") context.report.notice(note);
  return all.map((one) => {
    const { since, cause, atLeast } = facts.known.get(one.id) ?? {};
    const failingLonger = atLeast ? (true as const) : undefined;
    const added = defined({ failingSince: since, failureCause: cause, failingLonger });
    return facts.known.has(one.id)
      ? changeDisplayCopy<NamedInstallation>(one, (copy) => ({ ...copy, ...added }))
      : one;
  });
}

/** Whether the filters by what the list itself shows let an installation through. */
function filterWithoutCauses({ output, now }: Pick<CommandContext, "output" | "now">) {
  const filters = (output.query()?.filters ?? [])
    .map((text) => parseFilter(text, now()))
    .filter(({ name }) => !CAUSE_COLUMNS.some((column) => isSameColumn(name, column)))
    .map((filter) => ({ filter, ...findName(INSTALLATION_NAMES, filter, "--filter") }));
  return (one: NamedInstallation) =>
    filters.every(({ filter, values }) => matches(filter, one, values));
}

/** The facts of an unhealthy installation that its list shows. */
export function unhealthyFacts(installation: Installation): UnhealthyInstallation {
  const { id, integrationId, lastOperationStatus, connection, config } = installation;
  return defined({
    id,
    integrationId,
    group: groupName(installation),
    provider: config.content?.provider || connection.provider || undefined,
    lastOperationStatus: lastOperationStatus || undefined,
    connectionStatus: connection.status || undefined,
  });
}
