import { AmpError, ServiceError } from "../../errors.ts";
import { graceAfter } from "../../runtime/end-process.ts";
import { asList, derived } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { statedProject } from "../../values/odd-fields.ts";
import { timeFields } from "../../values/service-clock.ts";
import { suggest } from "../../values/suggested-command.ts";
import type { Address } from "../model/address.ts";
import {
  type ExistingIds,
  type Resource,
  type RoutingModel,
  referencedIds,
} from "../model/routing.ts";
import { indexLive, type LiveIndex, type LiveRouting, listRouting } from "../plan/live.ts";
import { makePlanUntil } from "../plan/make-plan.ts";
import { lostId, type PlanItem } from "../plan/plan.ts";
import { dependencyIds } from "../plan/plan-change.ts";
import type { LockedState } from "../state/backend.ts";
import { type RecordMark, withMark } from "../state/change.ts";
import { openStateManager, type StateManager } from "../state/manager.ts";
import type { StateTarget } from "../state/state.ts";
import { RunOutcomes } from "./outcomes.ts";
import type { EnginePorts, PlanAndLive } from "./types.ts";

/** A run that holds the lock. */
export interface Run {
  readonly ports: EnginePorts;
  readonly locked: LockedState;
  readonly manager: StateManager;
  readonly outcomes: RunOutcomes;
  /** The signal for writes; it is aborted later than the one that ends the run. */
  readonly writeSignal: AbortSignal;
  /** The IDs of resources that the routing declares as existing. */
  readonly existing: ExistingIds;
  /** The name of the routing. */
  readonly owner: string | undefined;
  /** The commit horizons by `elapsed`; see {@link commitHorizonOf}. */
  readonly horizons: Map<Address, number>;
  /** When it took the lock, by `elapsed`: its knowledge of earlier runs is older. */
  readonly began: number;
}

/** Runs work under the lock, with the state loaded and checked. */
export function withRun<Result>(
  ports: EnginePorts,
  model: RoutingModel | undefined,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { backend, options, command, signal } = ports;
  return backend.withLock({ command, wait: options.lockWaitMs, signal }, async (locked) => {
    const time = ports.now().toISOString();
    const head = { time, command, ...ports.history, ...defined({ routing: model?.name }) };
    const facts = { location: backend.location, run: head };
    const manager = await openStateManager(locked, derived(ports, facts));
    const grace = graceAfter(signal, (until) => ports.sleep(WRITE_GRACE_MS, until));
    try {
      const outcomes = new RunOutcomes(ports, manager);
      return await work({
        ports,
        locked,
        manager,
        outcomes,
        writeSignal: AbortSignal.any(asList(grace.signal, ports.urgentSignal)),
        existing: model ? referencedIds(model) : new Map(),
        owner: model?.name,
        horizons: new Map(),
        began: ports.elapsed(),
      });
    } finally {
      grace.end();
      await manager.close();
    }
  });
}

/**
 * Saves that deletes or a rotation are about to be sent, while the lock is held.
 * @throws {AmpError} if it is not, or they cannot be saved: they must not be sent
 */
export async function beginWrite(
  { ports, locked, manager }: Run,
  mark: RecordMark,
  held: readonly Address[],
): Promise<void> {
  await locked.check();
  if (held.length === 0) return;
  await ports.assertMayWrite?.();
  await manager.prepare(withMark(mark, held, timeFields(ports)));
}

/** The time that a write in flight may continue after a signal. */
const WRITE_GRACE_MS = 5_000;

/** A run, or a listing outside of one, where nothing is known of earlier lists. */
type Listing = Pick<Run, "ports"> & { readonly manager: Pick<StateManager, "state"> | undefined };

/**
 * Lists the routing.
 * @returns undefined where the service has no lists
 * @throws {ServiceError} where it had lists before: a plan without them would be a guess; and where
 * it lists the resources of another project
 */
export async function listService({ ports, manager }: Listing): Promise<LiveRouting | undefined> {
  const live = await listRouting(ports);
  if (live !== undefined && manager !== undefined)
    assertOwnLists(live, manager.state.target, ports);
  if (live !== undefined || manager?.state.lists !== true) return live;
  throw new ServiceError("The service no longer lists its routing", {
    remedy: "Try again later. Without lists, existing resources could be created twice.",
    done: "Nothing was created.",
  });
}

/** Lists the routing where it only tells more: undefined where that fails, too. */
export function listIfPossible(run: Listing): Promise<LiveRouting | undefined> {
  return listService(run).catch((error: unknown) => {
    if (!(error instanceof AmpError)) throw error;
    return undefined;
  });
}

/** @throws {ServiceError} unless the listed records are of the state's project, or do not say */
function assertOwnLists(
  live: LiveRouting,
  { project: id, name }: StateTarget,
  { project }: Pick<EnginePorts, "project">,
): void {
  // Without a name, the service did not say which ID the project has.
  if (name === undefined) return;
  const stated = Object.values(live).flat().map(statedProject);
  const other = stated.find((one) => ![undefined, id, name, project].includes(one));
  if (other === undefined) return;
  throw new ServiceError(`The service lists resources of another project as those of ${project}`, {
    detail: `The state belongs to project ${id}; the listed resources belong to project ${other}.`,
    done: "Nothing was changed.",
    suggestion: suggest("projects list"),
  });
}

/** The IDs of a resource's dependencies, as far as they are known. */
export function knownDependencies(
  { existing, manager }: Run,
  resource: Resource,
): Map<Address, string> {
  const { records } = manager.state;
  return dependencyIds(
    resource,
    (dependency) => existing.get(dependency) ?? records.get(dependency)?.id,
  );
}

/**
 * The time by `elapsed` from which a list that does not show a resource may be believed:
 * `commitHorizonMs` after its write became unknown or was found. What an earlier run did is as old
 * as the clock of the service and that of this machine both say, and otherwise as old as this run:
 * either may have jumped, and that of another machine, or of another server, may differ.
 */
export function commitHorizonOf(run: Run, address: Address): number {
  const { ports, manager, horizons, began } = run;
  const known = horizons.get(address);
  if (known !== undefined) return known;
  const { pending, records } = manager.state;
  const { serviceTime, time } = pending.get(address) ?? records.get(address) ?? {};
  const now = ports.serviceTime();
  const age =
    serviceTime && time && now
      ? Math.min(now.earliest - Date.parse(serviceTime), ports.now().getTime() - Date.parse(time))
      : 0;
  const since = Math.min(began, ports.elapsed() - age);
  // guard: the horizon of a write
  const horizon = since + ports.options.commitHorizonMs;
  horizons.set(address, horizon);
  return horizon;
}

/** Starts the commit horizon of a write whose outcome has just become unknown, or was found. */
export function startCommitHorizon({ ports, horizons }: Run, address: Address): void {
  // guard: the horizon of an unknown outcome
  horizons.set(address, ports.elapsed() + ports.options.commitHorizonMs);
}

/** A commit horizon that starts now, as it is shown and saved: RFC 3339. */
export function commitHorizonText({ ports }: Pick<Run, "ports">): string {
  return new Date(ports.now().getTime() + ports.options.commitHorizonMs).toISOString();
}

const WAIT_MS = 1_000;

/**
 * Makes a plan from a fresh list. A list may be out of date: a resource in the state does not count
 * as missing until the list has had time to show it.
 * @param options.ignorePending plans as if no write were pending, once all of them are settled
 */
export async function planFromFreshLists(
  run: Run,
  model: RoutingModel,
  { ignorePending = false }: { readonly ignorePending?: boolean } = {},
): Promise<PlanAndLive> {
  const { ports, manager } = run;
  for (let isReported = false; ; isReported = true) {
    // A resource may be listed while the lists are being read.
    const began = ports.elapsed();
    const live = await listService(run);
    const plan = await makePlanUntil(ports.signal, {
      model,
      live,
      choices: ports.options,
      state: ignorePending ? { ...manager.state, pending: new Map() } : manager.state,
    });
    const index = live && indexLive(live);
    const young = plan.items.filter((item) => index && isYoung(run, item, { index, began }));
    if (young.length === 0 || ports.signal.aborted) return { plan, live };
    for (const { address } of isReported ? [] : young) {
      const ms = commitHorizonOf(run, address) - began;
      const why = "in the state, but not listed yet";
      ports.observe({ type: "waiting", address, ms, why, horizon: true });
    }
    await ports.sleep(WAIT_MS, ports.signal).catch(() => {});
  }
}

function isYoung(
  run: Run,
  item: PlanItem,
  { index, began }: { readonly index: LiveIndex; readonly began: number },
): boolean {
  const { ports, manager } = run;
  const { address } = item;
  const record = manager.state.records.get(address);
  if (record === undefined) return false;
  // After a rename the list may still show the earlier name.
  const isOldName =
    item.action === "conflict" &&
    item.reason === "differs" &&
    item.differences.some(({ field }) => field === "name");
  const lost = lostId(item);
  if (lost === undefined && !isOldName) return false;
  // A route that is listed leads from or to what has another address now.
  if (lost !== undefined && index.byId(item.kind, lost) !== undefined) return false;
  if (began >= commitHorizonOf(run, address)) return false;
  // With --accept recreate, a wrong guess creates it twice. Without, its age by the clock of this machine is
  // good enough, and may save a wait. A time in the future was saved by another machine: it is recent.
  const isGuess = record.serviceTime === undefined && manager.state.pending.size === 0;
  if (!isGuess || ports.options.recreate) return true;
  const age = ports.now().getTime() - Date.parse(record.time);
  return age < ports.options.commitHorizonMs;
}
