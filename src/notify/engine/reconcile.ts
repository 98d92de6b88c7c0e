import type { Address } from "../model/address.ts";
import { type ExistingIds, endpointsOf, type Resource, resourceAt } from "../model/routing.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import type { PendingCreate } from "../state/state.ts";
import { recordExisting } from "./outcomes.ts";
import { commitDeadlineOf, endpointIdsOf, listService, type Run } from "./run.ts";

/** A create whose outcome is not known. */
export interface OpenCreate {
  readonly address: Address;
  readonly pending: PendingCreate;
  /** By this run, not by one before. */
  readonly sent: boolean;
}

/** What looking for them came to, beyond what was found: that is in the state. */
export interface LookupResult {
  /** Not in the list when the service could not create them any more. */
  readonly absent: readonly OpenCreate[];
  /** Several of its natural key are new. */
  readonly several: readonly { readonly open: OpenCreate; readonly ids: readonly string[] }[];
  /** The list could not be read, a signal came, or the IDs of a route's endpoints are not known. */
  readonly unclear: readonly OpenCreate[];
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** How often the list is read once there is nothing left to wait for: it may fail. */
const LATE_LOOKS = 4;

/**
 * Looks for creates in the list until the service cannot create them any more. New is what was not
 * in the list before; where exactly one is new, that is it.
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
    // What was not there when the look began may have come about while it went on.
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

/** A create with what it is looked for by. */
interface SoughtCreate {
  readonly open: OpenCreate;
  readonly resource: Resource;
  readonly endpoints: ExistingIds;
  /** The service may create it until then; in milliseconds. */
  readonly until: number;
}

/** None where the IDs of a route's endpoints are not known. */
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
  const about = {
    resource: resourceAt(address),
    intent: pending,
    since: new Date(pending.started),
  };
  const { requestId } = pending;
  await recordExisting(run, about, { id, origin: "reconciled", requestId, sent });
}

function reportWaiting({ ports }: Run, left: readonly SoughtCreate[]): void {
  for (const { open, until } of left) {
    const ms = Math.max(0, until - ports.now().getTime());
    const why = "not in the list yet, and may still come about";
    ports.observe({ type: "waiting", address: open.address, ms, why });
  }
}
