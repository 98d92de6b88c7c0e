import type { Address } from "../address.ts";
import { endsOf, indexLive, type LiveIndex } from "../plan/natural-key.ts";
import type { PendingCreate } from "../state/state.ts";
import type { Step } from "../steps.ts";
import { horizonOf } from "./horizon.ts";
import { keep } from "./keep.ts";
import { endIdsOf, look, type Run } from "./run.ts";
import { stepAt } from "./step-at.ts";

/** A create whose outcome is not known. */
export interface Open {
  readonly address: Address;
  readonly pending: PendingCreate;
  /** By this run, not by one before. */
  readonly sent: boolean;
}

/** What looking for them came to, beyond what was found: that is in the state. */
export interface Looked {
  /** Not in the list when the service could not create them any more. */
  readonly absent: readonly Open[];
  /** Several of its natural key are new. */
  readonly several: readonly { readonly open: Open; readonly ids: readonly string[] }[];
  /** The list could not be read, a signal came, or the ids of a route's ends are not known. */
  readonly unclear: readonly Open[];
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** How often the list is read once there is nothing left to wait for: it may fail. */
const LATE_LOOKS = 4;

/**
 * Looks for creates in the list until the service cannot create them any more. New is what was not
 * in the list before; where exactly one is new, that is it.
 */
export async function lookFor(run: Run, opens: readonly Open[]): Promise<Looked> {
  const { ports } = run;
  const sought = opens.flatMap((open) => soughtFor(run, open));
  const last = Math.max(...sought.map(({ until }) => until));
  const absent: Open[] = [];
  const several: { open: Open; ids: readonly string[] }[] = [];
  let left = sought;
  let wait = FIRST_WAIT_MS;
  for (let lateLooks = 0; left.length > 0 && lateLooks < LATE_LOOKS; ) {
    if (ports.signal.aborted) break;
    // What was not there when the look began may have come about while it went on.
    const began = ports.now().getTime();
    const live = await look(run).catch(() => undefined);
    const index = live && indexLive(live);
    const still: Sought[] = [];
    for (const one of left) {
      const ids = index && newIds(index, one);
      const [id, another] = ids ?? [];
      if (ids === undefined || (id === undefined && began < one.until)) still.push(one);
      else if (id === undefined) absent.push(one.open);
      else if (another === undefined) await take(run, one.open, id);
      else several.push({ open: one.open, ids });
    }
    left = still;
    if (began >= last) lateLooks += 1;
    if (left.length === 0) break;
    if (wait === FIRST_WAIT_MS) tell(run, left);
    const most = began >= last ? wait : Math.max(1, last - ports.now().getTime());
    await ports.sleep(Math.min(wait, most), ports.signal).catch(() => {});
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
  const done = new Set(sought.map(({ open }) => open));
  const unclear = [...opens.filter((open) => !done.has(open)), ...left.map(({ open }) => open)];
  return { absent, several, unclear };
}

/** A create with what it is looked for by. */
interface Sought {
  readonly open: Open;
  readonly step: Step;
  readonly ends: ReadonlyMap<Address, string>;
  /** The service may create it until then; in milliseconds. */
  readonly until: number;
}

/** None where the ids of a route's ends are not known. */
function soughtFor(run: Run, open: Open): readonly Sought[] {
  const { address, pending } = open;
  const step = stepAt(address);
  const needed = endsOf(step);
  const ends = pending.ends ? new Map(zip(needed, pending.ends)) : endIdsOf(run, step);
  if (needed.some((end) => !ends.has(end))) return [];
  return [{ open, step, ends, until: horizonOf(run, pending) }];
}

function zip(ends: readonly Address[], ids: readonly string[]): [Address, string][] {
  return ends.flatMap((end, at): [Address, string][] => {
    const id = ids[at];
    return id === undefined ? [] : [[end, id]];
  });
}

function newIds(index: LiveIndex, { open, step, ends }: Sought): readonly string[] {
  const { idsBefore } = open.pending;
  return index
    .matches(step, ends)
    .map(({ id }) => id)
    .filter((id) => !idsBefore.includes(id));
}

async function take(run: Run, { address, pending, sent }: Open, id: string): Promise<void> {
  const about = { step: stepAt(address), intent: pending, since: new Date(pending.started) };
  const { requestId } = pending;
  await keep(run, about, { id, origin: "reconciled", requestId, sent });
}

function tell({ ports }: Run, left: readonly Sought[]): void {
  for (const { open, until } of left) {
    const ms = Math.max(0, until - ports.now().getTime());
    const why = "not in the list yet, and may still come about";
    ports.observe({ type: "waiting", address: open.address, ms, why });
  }
}
