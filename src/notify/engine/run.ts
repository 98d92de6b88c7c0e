import { ServiceError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import {
  type ExistingIds,
  endpointsOf,
  type Resource,
  type RoutingModel,
} from "../model/routing.ts";
import { type LiveRouting, listRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import { fingerprintsOf } from "../plan/plan-resource.ts";
import type { LockedState } from "../state/backend.ts";
import { openStateManager, type StateManager } from "../state/manager.ts";
import type { PendingCreate, RoutingState } from "../state/state.ts";
import { createRunOutcomes, type RunOutcomes } from "./outcomes.ts";
import type { EnginePorts } from "./types.ts";

/** What the parts of a run share, while it holds the lock. */
export interface Run {
  readonly ports: EnginePorts;
  readonly held: LockedState;
  readonly journal: StateManager;
  readonly ledger: RunOutcomes;
  readonly grace: GracePeriod;
  /** What exists by the routing's own word. */
  readonly standing: ExistingIds;
}

/** Works under the lock, with the state loaded and checked. */
export function withRun<Result>(
  ports: EnginePorts,
  standing: ExistingIds,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { backend, target, options, command, signal, uuid, rescueFolder } = ports;
  return backend.withLock({ command, wait: options.lockWaitMs, signal }, async (held) => {
    const journal = await openStateManager(held, {
      target,
      location: backend.location,
      uuid,
      ...(rescueFolder === undefined ? {} : { rescueFolder }),
    });
    const grace = startGracePeriod(ports);
    try {
      const ledger = createRunOutcomes(ports.observe);
      return await work({ ports, held, journal, ledger, grace, standing });
    } finally {
      grace.end();
    }
  });
}

/**
 * What the service lists.
 * @returns undefined where it has no lists
 * @throws {ServiceError} where it had them: what it created since cannot be seen, only guessed
 */
export function listService({ ports, journal }: Run): Promise<LiveRouting | undefined> {
  return listServiceWith(ports, journal.state);
}

/** The same outside of a run; without a state nothing is known of earlier lists. */
export async function listServiceWith(
  { api, project }: Pick<EnginePorts, "api" | "project">,
  state: Pick<RoutingState, "lists"> | undefined,
): Promise<LiveRouting | undefined> {
  const live = await listRouting({ api, project });
  if (live !== undefined || state?.lists !== true) return live;
  throw new ServiceError("The service does not list its routing any more, and did so before", {
    remedy: "Try again later. Without its lists, what exists could be made a second time.",
    done: "Nothing was created.",
  });
}

/** The ids of the ends of a resource that are known. */
export function endpointIdsOf(
  { standing, journal }: Run,
  resource: Resource,
): Map<Address, string> {
  const ids = new Map<Address, string>();
  for (const end of endpointsOf(resource)) {
    const id = standing.get(end) ?? journal.state.records.get(end)?.id;
    if (id !== undefined) ids.set(end, id);
  }
  return ids;
}

/** How long a create that is in flight may go on after a signal. */
const GRACE_MS = 5_000;

/** A signal for creates: it comes later than the one that ends a run. */
export interface GracePeriod {
  readonly signal: AbortSignal;
  /** Ends the wait; nothing is left behind. */
  end(): void;
}

/** Begins to watch for the signals of a run. */
export function startGracePeriod(
  ports: Pick<EnginePorts, "signal" | "hardStop" | "sleep">,
): GracePeriod {
  const late = new AbortController();
  const over = new AbortController();
  const { signal, hardStop } = ports;
  const begin = () => {
    void ports.sleep(GRACE_MS, over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  const stop = () => late.abort(signal.reason ?? hardStop?.reason);
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true, signal: over.signal });
  if (hardStop?.aborted) stop();
  else hardStop?.addEventListener("abort", stop, { once: true, signal: over.signal });
  return { signal: late.signal, end: () => over.abort() };
}

/** Two machines' clocks may differ by as much. What was begun longer ago is decided. */
const SKEW_MS = 3_600_000;

/**
 * Until when the service may still create what it was sent, in milliseconds of this machine's clock.
 * A run that was killed has told nothing of it; but the lock is held now, so it sends no more.
 */
export function commitDeadlineOf({ ports }: Run, { horizon, started }: PendingCreate): number {
  const now = ports.now().getTime();
  const latest = now + ports.options.commitHorizonMs;
  if (horizon !== undefined) return Math.min(Date.parse(horizon), latest);
  return now - Date.parse(started) > SKEW_MS ? now : latest;
}

/** A plan with what it was made from. */
export interface PlanAndLive {
  readonly plan: Plan;
  readonly live: LiveRouting | undefined;
}

const WAIT_MS = 1_000;

/** The plan for a state and a list. */
export function planFrom(
  model: RoutingModel,
  state: Pick<RoutingState, "records" | "pending" | "salt"> | undefined,
  live: LiveRouting | undefined,
): Plan {
  return makePlan({ model, state, live, fingerprintOf: fingerprintsOf(state?.salt ?? "") });
}

/**
 * Plans by what the service lists now. A list may be behind: what the state has learned of only
 * just now is not held for gone before the list has had its time.
 * @param pending what is not settled yet; none once it is
 */
export async function planNow(
  run: Run,
  model: RoutingModel,
  pending: RoutingState["pending"] = run.journal.state.pending,
): Promise<PlanAndLive> {
  const { ports, journal } = run;
  const most = ports.now().getTime() + ports.options.resetHorizonMs;
  for (let told = false; ; told = true) {
    const live = await listService(run);
    const plan = planFrom(model, { ...journal.state, pending }, live);
    const young = plan.items.filter((item) => live && isYoung(run, item));
    const isOver = ports.signal.aborted || ports.now().getTime() >= most;
    if (young.length === 0 || isOver) return { plan, live };
    for (const { address } of told ? [] : young) {
      const why = "created just now, and not in the list yet";
      ports.observe({ type: "waiting", address, ms: ports.options.resetHorizonMs, why });
    }
    await ports.sleep(WAIT_MS, ports.signal).catch(() => {});
  }
}

function isYoung({ ports, journal }: Run, { action, address }: PlanItem): boolean {
  const record = journal.state.records.get(address);
  if (action !== "missing" || record === undefined) return false;
  const age = ports.now().getTime() - Date.parse(record.time);
  // One of the future is of a machine with another clock.
  return age < ports.options.resetHorizonMs;
}
