import type { Address } from "../model/address.ts";
import type { LiveRecord } from "../model/resource.ts";
import { dependenciesOf, type ExistingIds, type Resource, resourceAt } from "../model/routing.ts";
import { shownOfCreate } from "../plan/field-values.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import { dependencyIds } from "../plan/plan-change.ts";
import { withoutIntent, withUnknownOutcome } from "../state/change.ts";
import type { KnownRecord, PendingWrite } from "../state/state.ts";
import { findCreated } from "./find-created.ts";
import {
  commitHorizonOf,
  commitHorizonText,
  knownDependencies,
  listService,
  type Run,
  startCommitHorizon,
} from "./run.ts";
import { seenUpdate } from "./seen-update.ts";

/** A create or update whose outcome is not known. */
export interface OpenWrite {
  readonly address: Address;
  readonly pending: PendingWrite;
  /** Whether this run sent it, not an earlier one. */
  readonly sent: boolean;
  /** What was sent, where the service answered with success. */
  readonly confirmed?: Resource | undefined;
  /** The record that has its name and other values; set once it is certain that it was not done. */
  readonly taken?: LiveRecord | undefined;
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
/** The number of times that the list is read after the last commit horizon: a list may fail. */
const LATE_LOOKS = 4;

/**
 * Looks for writes in the lists of the service until their commit horizons have passed. A record
 * is new if it was not listed before the create, and shows no other values than were sent. A single
 * new record is saved as the one created; of several, the user has to choose one.
 */
export async function lookUpWrites(run: Run, opens: readonly OpenWrite[]): Promise<LookupResult> {
  const { ports } = run;
  const sought = opens.flatMap((open) => soughtWrites(run, open));
  const last = Math.max(...sought.map(({ until }) => until));
  const by: Record<Finding, SoughtWrite[]> = { done: [], absent: [], unlisted: [], open: sought };
  let wait = FIRST_WAIT_MS;
  for (let lateLooks = 0; by.open.length > 0 && lateLooks < LATE_LOOKS; ) {
    if (ports.signal.aborted) break;
    // A record may be created while the lists are being read, so the time before them counts.
    const began = ports.elapsed();
    const live = await listService(run).catch((error: unknown) => ({ failure: error }));
    const failure = live && "failure" in live ? live.failure : undefined;
    const index = live && !("failure" in live) ? indexLive(live) : undefined;
    const left = by.open;
    by.open = [];
    for (const one of left) {
      const [found, seen] = index ? await look(run, one, index, began) : (["open", one] as const);
      by[found].push(seen);
    }
    if (began >= last) lateLooks += 1;
    if (by.open.length === 0) break;
    if (wait === FIRST_WAIT_MS) reportWaiting(run, by.open, failure);
    const most = began >= last ? wait : Math.max(1, last - ports.elapsed());
    await ports.sleep(Math.min(wait, most), ports.signal).catch(() => {});
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
  const done = new Set(sought.map(({ open }) => open));
  const unclear = [
    ...opens.filter((open) => !done.has(open)),
    ...[...by.open, ...by.unlisted].map(({ open }) => open),
  ];
  return { absent: by.absent.map(({ open }) => open), unclear };
}

/**
 * What the lists show of a write. `unlisted`: the service said that it created it, so it is not
 * sent again because its list does not show it. `open`: it may still be done.
 */
type Finding = "done" | "absent" | "unlisted" | "open";

/**
 * Looks for a write in the lists, and records its outcome if they show it.
 * @param began when the lists were requested, by `elapsed`
 */
async function look(
  run: Run,
  one: SoughtWrite,
  index: LiveIndex,
  began: number,
): Promise<readonly [Finding, SoughtWrite]> {
  const { resource, open, until } = one;
  const { update, created } = open.pending;
  const isOver = began >= until;
  if (update !== undefined) {
    const seen = seenUpdate(run.manager.state, index, open);
    // guard: the values after an update
    if (seen !== "done") return [isOver ? "absent" : "open", one];
    await recordFound(run, one, update);
    return ["done", one];
  }
  const { own, taken } = findCreated(run, index, one, open.pending);
  const [record, another] = own;
  if (record === undefined) {
    if (!isOver) return ["open", one];
    return created ? ["unlisted", one] : ["absent", { ...one, open: { ...open, taken } }];
  }
  if (another === undefined) {
    // Another replica of the service may not list it yet.
    startCommitHorizon(run, resource.address);
    const shown = shownOfCreate(run.manager.state.salt, open.pending, record);
    await recordFound(run, one, { id: record.id, origin: "reconciled", shown });
  } else {
    const { error } = run.outcomes.unknown.get(open.address) ?? {};
    const ids = own.map(({ id }) => id);
    run.outcomes.markUnknown(one, { error, ids, created, sent: open.sent });
  }
  return ["done", one];
}

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
  const { ends } = pending;
  const dependencies = ends
    ? dependencyIds(resource, (_, at) => ends[at])
    : knownDependencies(run, resource);
  if (dependenciesOf(resource).some((dependency) => !dependencies.has(dependency))) return [];
  return [{ open, resource, dependencies, until: commitHorizonOf(run, address) }];
}

interface FoundRecord extends Pick<KnownRecord, "id" | "origin"> {
  readonly shown?: KnownRecord["shown"] | undefined;
}

async function recordFound(
  run: Run,
  { resource, open: { pending, sent } }: SoughtWrite,
  { id, origin, shown }: FoundRecord,
): Promise<void> {
  const { started, requestId } = pending;
  const subject = { resource, intent: pending, since: new Date(started) };
  await run.outcomes.record(subject, { id, origin, shown, requestId, sent });
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
 * Why a create or update is looked for again.
 * @param failure why the lists could not be read, if so
 */
function waitingReason({ update }: PendingWrite, failure: unknown): string {
  if (failure instanceof Error) return `cannot be looked up: ${failure.message}`;
  return update ? "not updated yet, and may still be" : "not listed yet, and may still be created";
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
      await manager.note(withUnknownOutcome(address, { horizon: commitHorizonText(run) }));
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
  // The plan that follows finds the record that has its name.
  await dropAbsent(
    run,
    absent.filter(({ taken }) => taken !== undefined),
  );
  return absent.filter(({ taken }) => taken === undefined);
}

/**
 * Waits, where there are no lists, until no update can still be done by an earlier run. It may then
 * be sent again: an update is the same however often it is done.
 */
async function waitForUpdates(run: Run, opens: readonly OpenWrite[]): Promise<LookupResult> {
  const { ports } = run;
  // A create stops the run in any case.
  if (opens.some(({ pending }) => pending.update === undefined)) {
    return { absent: [], unclear: opens };
  }
  const last = Math.max(...opens.map(({ address }) => commitHorizonOf(run, address)));
  const ms = last - ports.elapsed();
  if (ms > 0) {
    const why = "an earlier update may still be done";
    for (const { address } of opens) {
      ports.observe({ type: "waiting", address, ms, why, horizon: true });
    }
    await ports.sleep(ms, ports.signal).catch(() => {});
  }
  if (ports.signal.aborted) return { absent: [], unclear: opens };
  return { absent: opens, unclear: [] };
}

/** Drops the intents of writes that were certainly not done and are no longer wanted. */
export async function dropAbsent(run: Run, opens: readonly OpenWrite[]): Promise<void> {
  await Promise.all(
    opens.map(async ({ address, pending }) => {
      await run.manager.note(withoutIntent(address));
      const { requestId } = pending;
      if (pending.update !== undefined) return;
      const facts = { outcome: "absent", requestId, sent: false } as const;
      run.outcomes.settle({ resource: resourceAt(address) }, facts);
    }),
  );
}
