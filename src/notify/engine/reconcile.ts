import { once } from "../../values/once.ts";
import { type Address, addressParts } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import { dependenciesOf, type ExistingIds, type Resource, resourceAt } from "../model/routing.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import { dependencyIds } from "../plan/plan-new.ts";
import type { PendingUpdate, PendingWrite } from "../state/state.ts";
import {
  commitHorizonOf,
  commitHorizonText,
  knownDependencies,
  listService,
  type Run,
  startCommitHorizon,
} from "./run.ts";
import { seenUpdate, waitingReason } from "./update-outcome.ts";

/** A create or update whose outcome is not known. */
export interface OpenWrite {
  readonly address: Address;
  readonly pending: PendingWrite;
  /** Whether this run sent it, not an earlier one. */
  readonly sent: boolean;
}

/** The writes that a lookup did not resolve. */
interface LookupResult {
  /** Writes that are not seen after their commit horizon: certainly not done. */
  readonly absent: readonly OpenWrite[];
  /** Writes that could not be looked up: no list, a signal, or dependencies without known IDs. */
  readonly unclear: readonly OpenWrite[];
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/**
 * The number of times that the list is read after the last commit horizon, because a list may
 * fail.
 */
const LATE_LOOKS = 4;

/**
 * Looks for writes in the lists of the service until their commit horizons have passed. A record
 * is new if it was not listed before the create. A single new record is saved as the one created;
 * of several, the user has to choose one.
 */
export async function lookUpWrites(run: Run, opens: readonly OpenWrite[]): Promise<LookupResult> {
  const { ports, outcomes } = run;
  const sought = opens.flatMap((open) => soughtWrites(run, open));
  const last = Math.max(...sought.map(({ until }) => until));
  const absent: OpenWrite[] = [];
  // The service said that it created them, so they are not sent again because its list does not show them.
  const unlisted: SoughtWrite[] = [];
  let left = sought;
  let wait = FIRST_WAIT_MS;
  for (let lateLooks = 0; left.length > 0 && lateLooks < LATE_LOOKS; ) {
    if (ports.signal.aborted) break;
    // A record may be created while the lists are being read, so the time before them counts.
    const began = ports.elapsed();
    const live = await listService(run).catch((error: unknown) => ({ failure: error }));
    const failure = live && "failure" in live ? live.failure : undefined;
    const index = live && !("failure" in live) ? indexLive(live) : undefined;
    const still: SoughtWrite[] = [];
    for (const one of left) {
      const { resource, dependencies, open } = one;
      if (open.pending.update !== undefined) {
        const seen = index && seenUpdate(run.manager.state, index, open);
        if (seen === "done") await updateFound(run, one, open.pending.update);
        else if (index === undefined || began < one.until) still.push(one);
        else absent.push(open);
        continue;
      }
      const listed = index && listedIds(knownIds(run), index, resource, dependencies);
      const ids = listed?.filter((id) => !open.pending.idsBefore.includes(id));
      const [id, another] = ids ?? [];
      if (ids === undefined || (id === undefined && began < one.until)) still.push(one);
      else if (id === undefined && open.pending.created) unlisted.push(one);
      else if (id === undefined) absent.push(open);
      else if (another === undefined) await recordFound(run, one, id);
      else {
        const { error } = outcomes.unknown.get(open.address) ?? {};
        const { created } = open.pending;
        outcomes.markUnknown(one, { error, ids, created, sent: open.sent });
      }
    }
    left = still;
    if (began >= last) lateLooks += 1;
    if (left.length === 0) break;
    if (wait === FIRST_WAIT_MS) reportWaiting(run, left, failure);
    const most = began >= last ? wait : Math.max(1, last - ports.elapsed());
    await ports.sleep(Math.min(wait, most), ports.signal).catch(() => {});
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
  const done = new Set(sought.map(({ open }) => open));
  const unclear = [
    ...opens.filter((open) => !done.has(open)),
    ...[...left, ...unlisted].map(({ open }) => open),
  ];
  return { absent, unclear };
}

/**
 * The IDs of listed records with a resource's natural key, or possibly with it: a list that omits
 * a route's dependencies may show the route that was sent, and a service may change a name.
 */
export function listedIds(
  isKnown: IsKnown,
  index: LiveIndex,
  resource: Resource,
  dependencies: ExistingIds,
): readonly string[] {
  const found = index.matches(resource, dependencies).map(({ id }) => id);
  const candidates = [
    ...index.candidates(resource, dependencies),
    ...index.lookalikes(resource, dependencies),
  ].map(({ id }) => id);
  const fresh = candidates.filter((id) => !isKnown(resource.kind, id));
  return [...new Set([...found, ...fresh])];
}

type IsKnown = (kind: ResourceKind, id: string) => boolean;

/** The IDs of the state, collected from all records at the first question. */
export function knownIds({ manager }: Pick<Run, "manager">): IsKnown {
  const keyOf = (kind: ResourceKind, id: string) => `${kind} ${id}`;
  const keys = once(() => {
    const records = [...manager.state.records];
    return new Set(records.map(([address, { id }]) => keyOf(addressParts(address).kind, id)));
  });
  return (kind, id) => keys().has(keyOf(kind, id));
}

/** A write with what identifies its record. */
interface SoughtWrite {
  readonly open: OpenWrite;
  readonly resource: Resource;
  readonly dependencies: ExistingIds;
  /** The commit horizon, by `elapsed`. */
  readonly until: number;
}

/** The natural keys to look for; none while the IDs of a route's dependencies are unknown. */
function soughtWrites(run: Run, open: OpenWrite): readonly SoughtWrite[] {
  const { address, pending } = open;
  const resource = resourceAt(address);
  const needed = dependenciesOf(resource);
  const { ends } = pending;
  const dependencies = ends
    ? dependencyIds(resource, (_, at) => ends[at])
    : knownDependencies(run, resource);
  if (needed.some((dependency) => !dependencies.has(dependency))) return [];
  return [{ open, resource, dependencies, until: commitHorizonOf(run, address) }];
}

async function recordFound(
  run: Run,
  { resource, open: { pending, sent } }: SoughtWrite,
  id: string,
): Promise<void> {
  const { started, requestId } = pending;
  // Another replica of the service may not list it yet.
  startCommitHorizon(run, resource.address);
  const subject = { resource, intent: pending, since: new Date(started) };
  await run.outcomes.record(subject, { id, origin: "reconciled", requestId, sent });
}

async function updateFound(
  run: Run,
  { resource, open: { pending, sent } }: SoughtWrite,
  { id, origin }: PendingUpdate,
): Promise<void> {
  const { started, requestId } = pending;
  const subject = { resource, intent: pending, since: new Date(started) };
  await run.outcomes.record(subject, { id, origin, requestId, sent });
}

/** @param failure why the list could not be read, if so */
function reportWaiting({ ports }: Run, left: readonly SoughtWrite[], failure: unknown): void {
  for (const { open, until } of left) {
    const ms = Math.max(0, until - ports.elapsed());
    const why = waitingReason(open.pending, failure);
    ports.observe({ type: "waiting", address: open.address, ms, why, horizon: true });
  }
}

/**
 * Resolves the writes that earlier runs left pending. Those that cannot be resolved are in the
 * run's outcomes as unknown.
 * @returns those that were certainly not done; they are still pending
 * @throws {AmpError} where the state cannot be saved
 */
export async function settlePending(run: Run, hasLists: boolean): Promise<readonly OpenWrite[]> {
  const { manager, outcomes } = run;
  await Promise.all(
    [...manager.state.pending].map(async ([address, pending]) => {
      if (pending.phase === "unknown") return;
      await manager.markUnknown(address, { horizon: commitHorizonText(run) });
    }),
  );
  const opens = [...manager.state.pending].map(
    ([address, pending]): OpenWrite => ({ address, pending, sent: false }),
  );
  const { absent, unclear } = hasLists
    ? await lookUpWrites(run, opens)
    : await waitForUpdates(run, opens);
  for (const { address, pending } of unclear) {
    const { requestId, created, update } = pending;
    const facts = { requestId, created, isUpdate: update !== undefined, sent: false };
    outcomes.markUnknown({ resource: resourceAt(address) }, facts);
  }
  return absent;
}

/**
 * Waits, where there are no lists, until no update can still be done by an earlier run. It may then
 * be sent again: an update is the same however often it is done.
 */
async function waitForUpdates(run: Run, opens: readonly OpenWrite[]): Promise<LookupResult> {
  const { ports } = run;
  const isUpdate = ({ pending }: OpenWrite) => pending.update !== undefined;
  const updates = opens.filter(isUpdate);
  const creates = opens.filter((open) => !isUpdate(open));
  // A create stops the run in any case.
  if (creates.length > 0) return { absent: [], unclear: opens };
  const last = Math.max(...updates.map(({ address }) => commitHorizonOf(run, address)));
  const ms = last - ports.elapsed();
  if (ms > 0) {
    const why = "an earlier update may still be done";
    for (const { address } of updates) {
      ports.observe({ type: "waiting", address, ms, why, horizon: true });
    }
    await ports.sleep(ms, ports.signal).catch(() => {});
  }
  if (ports.signal.aborted) return { absent: [], unclear: updates };
  return { absent: updates, unclear: [] };
}

/** Drops the intents of writes that were certainly not done and are no longer wanted. */
export async function dropAbsent(run: Run, opens: readonly OpenWrite[]): Promise<void> {
  await Promise.all(
    opens.map(async ({ address, pending }) => {
      await run.manager.dropIntent(address);
      const { requestId } = pending;
      if (pending.update !== undefined) return;
      const facts = { outcome: "absent", requestId, sent: false } as const;
      run.outcomes.settle({ resource: resourceAt(address) }, facts);
    }),
  );
}
