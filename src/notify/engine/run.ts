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
import { openStateManager } from "../state/manager.ts";
import type { PendingCreate, RoutingState } from "../state/state.ts";
import { createRunOutcomes } from "./outcomes.ts";
import type { EnginePorts, Run } from "./types.ts";

/** Does work under the lock, with the state loaded and checked. */
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
      const outcomes = createRunOutcomes(ports.observe);
      const createSignal = grace.signal;
      return await work({ ports, locked, manager, outcomes, createSignal, existing });
    } finally {
      grace.end();
    }
  });
}

/**
 * Lists the routing during a run.
 * @returns undefined where the service has no lists
 * @throws {ServiceError} where it had lists before: what exists by now could only be guessed
 */
export function listService({ ports, manager }: Run): Promise<LiveRouting | undefined> {
  return listServiceWith(ports, manager.state);
}

/** Lists the routing outside of a run; without a state nothing is known of earlier lists. */
export async function listServiceWith(
  { api, project }: Pick<EnginePorts, "api" | "project">,
  state: Pick<RoutingState, "lists"> | undefined,
): Promise<LiveRouting | undefined> {
  const live = await listRouting({ api, project });
  if (live !== undefined || state?.lists !== true) return live;
  throw new ServiceError("The service no longer lists its routing", {
    remedy: "Try again later. Without lists, existing resources could be created a second time.",
    done: "Nothing was created.",
  });
}

/** The IDs of a resource's endpoints, as far as they are known. */
export function endpointIdsOf(
  { existing, manager }: Run,
  resource: Resource,
): Map<Address, string> {
  const ids = new Map<Address, string>();
  for (const endpoint of endpointsOf(resource)) {
    const id = existing.get(endpoint) ?? manager.state.records.get(endpoint)?.id;
    if (id !== undefined) ids.set(endpoint, id);
  }
  return ids;
}

/** How long a create that is in flight may go on after a signal. */
const GRACE_MS = 5_000;

/**
 * Starts to watch for the signals of a run.
 * @returns a signal for creates, which comes after the grace period; `end` stops all timers
 */
function startGracePeriod(ports: Pick<EnginePorts, "signal" | "hardStop" | "sleep">): {
  readonly signal: AbortSignal;
  end(): void;
} {
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

/** The clocks of two machines may differ by as much. Creates begun longer ago are decided. */
const MAX_CLOCK_SKEW_MS = 3_600_000;

/**
 * The time until which the service may still commit a create, in milliseconds of this machine's
 * clock. A run that was killed has saved no deadline; but this run has the lock, so that one
 * sends no more.
 */
export function commitDeadlineOf({ ports }: Run, { horizon, started }: PendingCreate): number {
  const now = ports.now().getTime();
  const latest = now + ports.options.commitWindowMs;
  if (horizon !== undefined) return Math.min(Date.parse(horizon), latest);
  return now - Date.parse(started) > MAX_CLOCK_SKEW_MS ? now : latest;
}

/** A plan with the lists that it was made from. */
export interface PlanAndLive {
  readonly plan: Plan;
  readonly live: LiveRouting | undefined;
}

const WAIT_MS = 1_000;

/** The plan for a model, a state and what the service lists. */
export function planFrom(
  model: RoutingModel,
  state: Pick<RoutingState, "records" | "pending" | "salt"> | undefined,
  live: LiveRouting | undefined,
): Plan {
  return makePlan({ model, state, live, fingerprintOf: fingerprintsOf(state?.salt ?? "") });
}

/**
 * Plans by what the service lists now. A list may be out of date: a resource that the state has only
 * just learned of does not count as missing before the list has had time to show it.
 * @param pending creates that are not settled yet; none once they are
 */
export async function planNow(
  run: Run,
  model: RoutingModel,
  pending: RoutingState["pending"] = run.manager.state.pending,
): Promise<PlanAndLive> {
  const { ports, manager } = run;
  const deadline = ports.now().getTime() + ports.options.resetWindowMs;
  for (let isReported = false; ; isReported = true) {
    const live = await listService(run);
    const plan = planFrom(model, { ...manager.state, pending }, live);
    const young = plan.items.filter((item) => live && isYoung(run, item));
    const isOver = ports.signal.aborted || ports.now().getTime() >= deadline;
    if (young.length === 0 || isOver) return { plan, live };
    for (const { address } of isReported ? [] : young) {
      const why = "created just now and not listed yet";
      ports.observe({ type: "waiting", address, ms: ports.options.resetWindowMs, why });
    }
    await ports.sleep(WAIT_MS, ports.signal).catch(() => {});
  }
}

function isYoung({ ports, manager }: Run, { action, address }: PlanItem): boolean {
  const record = manager.state.records.get(address);
  if (action !== "missing" || record === undefined) return false;
  const age = ports.now().getTime() - Date.parse(record.time);
  // A time in the future comes from a machine with another clock, and counts as young.
  return age < ports.options.resetWindowMs;
}
