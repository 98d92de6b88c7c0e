import type { Address } from "../model/address.ts";
import { type ExistingIds, endpointsOf, type Resource, resourceAt } from "../model/routing.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import type { PendingCreate } from "../state/state.ts";
import { markAmbiguous, outcomeOf, recordExisting } from "./outcomes.ts";
import { commitDeadlineOf, endpointIdsOf, listService } from "./run.ts";
import type { Run } from "./types.ts";

/** A create whose outcome is not known. */
export interface OpenCreate {
  readonly address: Address;
  readonly pending: PendingCreate;
  /** Whether this run sent it, not an earlier one. */
  readonly sent: boolean;
}

/** The creates that a lookup did not find; what it found is in the state. */
interface LookupResult {
  /** Not listed after the commit deadline: certainly not done. */
  readonly absent: readonly OpenCreate[];
  /** Several new records have the natural key. */
  readonly several: readonly { readonly open: OpenCreate; readonly ids: readonly string[] }[];
  /** The list could not be read, a signal came, or the IDs of a route's endpoints are not known. */
  readonly unclear: readonly OpenCreate[];
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** How often the list is read after the last commit deadline, because a list may fail. */
const LATE_LOOKS = 4;

/**
 * Looks for creates in the lists of the service until their commit deadlines have passed. A record
 * is new if it was not listed before the create; exactly one new record is the one created.
 */
export async function lookUpCreates(run: Run, opens: readonly OpenCreate[]): Promise<LookupResult> {
  const { ports } = run;
  const sought = opens.flatMap((open) => soughtCreates(run, open));
  const last = Math.max(...sought.map(({ until }) => until));
  const absent: OpenCreate[] = [];
  const several: { open: OpenCreate; ids: readonly string[] }[] = [];
  let left = sought;
  let wait = FIRST_WAIT_MS;
  for (let lateLooks = 0; left.length > 0 && lateLooks < LATE_LOOKS; ) {
    if (ports.signal.aborted) break;
    // A record may be created while the lists are being read, so the time before them counts.
    const began = ports.now().getTime();
    const live = await listService(run).catch(() => undefined);
    const index = live && indexLive(live);
    const still: SoughtCreate[] = [];
    for (const one of left) {
      const ids = index && newIds(index, one);
      const [id, another] = ids ?? [];
      if (ids === undefined || (id === undefined && began < one.until)) still.push(one);
      else if (id === undefined) absent.push(one.open);
      else if (another === undefined) await recordFound(run, one.open, id);
      else several.push({ open: one.open, ids });
    }
    left = still;
    if (began >= last) lateLooks += 1;
    if (left.length === 0) break;
    if (wait === FIRST_WAIT_MS) reportWaiting(run, left);
    const most = began >= last ? wait : Math.max(1, last - ports.now().getTime());
    await ports.sleep(Math.min(wait, most), ports.signal).catch(() => {});
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
  const done = new Set(sought.map(({ open }) => open));
  const unclear = [...opens.filter((open) => !done.has(open)), ...left.map(({ open }) => open)];
  return { absent, several, unclear };
}

/** A create with what identifies its record. */
interface SoughtCreate {
  readonly open: OpenCreate;
  readonly resource: Resource;
  readonly endpoints: ExistingIds;
  /** The commit deadline, in milliseconds. */
  readonly until: number;
}

/** The create to look for; none where the IDs of a route's endpoints are not known. */
function soughtCreates(run: Run, open: OpenCreate): readonly SoughtCreate[] {
  const { address, pending } = open;
  const resource = resourceAt(address);
  const needed = endpointsOf(resource);
  const endpoints = pending.ends
    ? new Map(zip(needed, pending.ends))
    : endpointIdsOf(run, resource);
  if (needed.some((endpoint) => !endpoints.has(endpoint))) return [];
  return [{ open, resource, endpoints, until: commitDeadlineOf(run, pending) }];
}

function zip(endpoints: readonly Address[], ids: readonly string[]): [Address, string][] {
  return endpoints.flatMap((endpoint, at): [Address, string][] => {
    const id = ids[at];
    return id === undefined ? [] : [[endpoint, id]];
  });
}

function newIds(index: LiveIndex, { open, resource, endpoints }: SoughtCreate): readonly string[] {
  const { idsBefore } = open.pending;
  return index
    .matches(resource, endpoints)
    .map(({ id }) => id)
    .filter((id) => !idsBefore.includes(id));
}

async function recordFound(
  run: Run,
  { address, pending, sent }: OpenCreate,
  id: string,
): Promise<void> {
  const subject = {
    resource: resourceAt(address),
    intent: pending,
    since: new Date(pending.started),
  };
  const { requestId } = pending;
  await recordExisting(run, subject, { id, origin: "reconciled", requestId, sent });
}

function reportWaiting({ ports }: Run, left: readonly SoughtCreate[]): void {
  for (const { open, until } of left) {
    const ms = Math.max(0, until - ports.now().getTime());
    const why = "not listed yet, and may still be created";
    ports.observe({ type: "waiting", address: open.address, ms, why });
  }
}

/**
 * Settles the creates that earlier runs left pending. Those that cannot be settled are in the run's
 * outcomes as unknown.
 * @returns those that were certainly not done; they are still pending
 * @throws {AmpError} where the state cannot be saved
 */
export async function settlePending(run: Run, lists: boolean): Promise<readonly OpenCreate[]> {
  const { manager, outcomes } = run;
  await Promise.all(
    [...manager.state.pending].map(async ([address, pending]) => {
      if (pending.phase === "unknown") return;
      // A killed run saved no deadline: with one, a later run need not wait as long again.
      const horizon = new Date(commitDeadlineOf(run, pending)).toISOString();
      await manager.markUnknown(address, { horizon });
    }),
  );
  const opens = [...manager.state.pending].map(
    ([address, pending]): OpenCreate => ({ address, pending, sent: false }),
  );
  const { absent, several, unclear } = lists
    ? await lookUpCreates(run, opens)
    : { absent: [], several: [], unclear: opens };
  for (const { open, ids } of several) markAmbiguous(run, open, ids);
  for (const { address, pending } of unclear) {
    const resource = resourceAt(address);
    const { requestId } = pending;
    outcomes.markUnknown(
      { address, kind: resource.kind },
      outcomeOf(run, { resource }, { outcome: "unknown", requestId, sent: false }),
    );
  }
  return absent;
}

/** Drops the intents of creates that were certainly not done, and are not to be done either. */
export async function dropAbsent(run: Run, opens: readonly OpenCreate[]): Promise<void> {
  await Promise.all(
    opens.map(async ({ address, pending }) => {
      await run.manager.dropIntent(address);
      const { requestId } = pending;
      const how = { outcome: "absent", requestId, sent: false } as const;
      run.outcomes.settle(outcomeOf(run, { resource: resourceAt(address) }, how));
    }),
  );
}
