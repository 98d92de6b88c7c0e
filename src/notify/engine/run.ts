import { ServiceError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import type { ExistingIds, Resource, RoutingModel } from "../model/routing.ts";
import { type LiveRouting, listRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { PlanItem } from "../plan/plan.ts";
import { dependencyIds } from "../plan/plan-resource.ts";
import type { LockedState } from "../state/backend.ts";
import { openStateManager, type StateManager } from "../state/manager.ts";
import type { RoutingState } from "../state/state.ts";
import { RunOutcomes } from "./outcomes.ts";
import type { EnginePorts, PlanAndLive } from "./types.ts";

/** A run that holds the lock. */
export interface Run {
  readonly ports: EnginePorts;
  readonly locked: LockedState;
  readonly manager: StateManager;
  readonly outcomes: RunOutcomes;
  /** The signal for creates; it is aborted later than the one that ends the run. */
  readonly createSignal: AbortSignal;
  /** The IDs of resources that the routing declares as existing. */
  readonly existing: ExistingIds;
  /** The end of the search for each create of unknown outcome; see {@link commitDeadlineOf}. */
  readonly deadlines: Map<Address, number>;
  /**
   * The time by `elapsed` at which the run took the lock: its knowledge of earlier runs is older.
   */
  readonly began: number;
}

/** Runs work under the lock, with the state loaded and checked. */
export function withRun<Result>(
  ports: EnginePorts,
  existing: ExistingIds,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { backend, target, options, command, signal, uuid, rescueFolder } = ports;
  return backend.withLock({ command, wait: options.lockWaitMs, signal }, async (locked) => {
    const manager = await openStateManager(locked, {
      target,
      location: backend.location,
      uuid,
      ...(rescueFolder === undefined ? {} : { rescueFolder }),
    });
    const grace = startGracePeriod(ports);
    try {
      const outcomes = new RunOutcomes(ports, manager);
      return await work({
        ports,
        locked,
        manager,
        outcomes,
        createSignal: grace.signal,
        existing,
        deadlines: new Map(),
        began: ports.elapsed(),
      });
    } finally {
      grace.end();
    }
  });
}

/** The time that a create in flight may continue after a signal. */
const GRACE_MS = 5_000;

/**
 * Starts the grace period of creates when the run's signal is aborted.
 * @returns a signal for creates that is aborted after the grace period; `end` stops the timer
 */
function startGracePeriod(ports: Pick<EnginePorts, "signal" | "sleep">) {
  const late = new AbortController();
  const over = new AbortController();
  const { signal } = ports;
  const begin = () => {
    void ports.sleep(GRACE_MS, over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true, signal: over.signal });
  return { signal: late.signal, end: () => over.abort() };
}

/** A run, or a listing outside of one, where nothing is known of earlier lists. */
type Listing = Pick<Run, "ports"> & { readonly manager: Pick<StateManager, "state"> | undefined };

/**
 * Lists the routing.
 * @returns undefined where the service has no lists
 * @throws {ServiceError} where it had lists before: a plan without them would be a guess
 */
export async function listService({ ports, manager }: Listing): Promise<LiveRouting | undefined> {
  const live = await listRouting(ports);
  if (live !== undefined || manager?.state.lists !== true) return live;
  throw new ServiceError("The service no longer lists its routing", {
    remedy: "Try again later. Without lists, existing resources could be created a second time.",
    done: "Nothing was created.",
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
 * The time by `elapsed` from which a list may end the search for a create: `commitDeadlineMs` after
 * its outcome became unknown, or, for a create of an earlier run, after this run's first request.
 * No clock says how long ago that run was: this machine's may have jumped, and another's may differ.
 */
export function commitDeadlineOf({ ports, deadlines }: Run, address: Address): number {
  const known = deadlines.get(address);
  if (known !== undefined) return known;
  return startCommitDeadline({ ports, deadlines }, address);
}

/** Starts the commit deadline of a create whose outcome has just become unknown. */
export function startCommitDeadline(
  { ports, deadlines }: Pick<Run, "ports" | "deadlines">,
  address: Address,
): number {
  const deadline = ports.elapsed() + ports.options.commitDeadlineMs;
  deadlines.set(address, deadline);
  return deadline;
}

/** A commit deadline that starts now, as it is shown and saved: RFC 3339. */
export function commitDeadlineText({ ports }: Pick<Run, "ports">): string {
  return new Date(ports.now().getTime() + ports.options.commitDeadlineMs).toISOString();
}

const WAIT_MS = 1_000;

/**
 * Makes a plan from a fresh list. A list may be out of date: a resource that the state has only
 * just recorded does not count as missing until the list has had time to show it.
 * @param pending creates that are not settled yet; none once they are
 */
export async function planNow(
  run: Run,
  model: RoutingModel,
  pending: RoutingState["pending"] = run.manager.state.pending,
): Promise<PlanAndLive> {
  const { ports, manager } = run;
  const deadline = run.began + ports.options.commitDeadlineMs;
  for (let isReported = false; ; isReported = true) {
    const live = await listService(run);
    const plan = makePlan({ model, state: { ...manager.state, pending }, live });
    const young = plan.items.filter((item) => live && isYoung(run, item));
    const isOver = ports.signal.aborted || ports.elapsed() >= deadline;
    if (young.length === 0 || isOver) return { plan, live };
    for (const { address } of isReported ? [] : young) {
      const why = "created just now and not listed yet";
      ports.observe({ type: "waiting", address, ms: ports.options.commitDeadlineMs, why });
    }
    await ports.sleep(WAIT_MS, ports.signal).catch(() => {});
  }
}

function isYoung({ ports, manager }: Run, { action, address }: PlanItem): boolean {
  const record = manager.state.records.get(address);
  if (action !== "missing" || record === undefined) return false;
  // A killed run may have made it just before, whatever the clock says.
  if (manager.state.pending.size > 0) return true;
  const age = ports.now().getTime() - Date.parse(record.time);
  // A time in the future comes from a machine with another clock, and counts as recent.
  return age < ports.options.commitDeadlineMs;
}
