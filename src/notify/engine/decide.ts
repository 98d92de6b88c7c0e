import { signalError } from "../../errors.ts";
import { handleSignals } from "../../runtime/end-process.ts";
import { routingErrors } from "../errors.ts";
import { addressParts } from "../model/address.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { Observation } from "../plan/live.ts";
import { planSteps } from "../plan/make-plan.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import type { PlanInput } from "../plan/planning.ts";
import { type Observer, observe } from "./observe.ts";

/**
 * Decides. In: a routing, and the state. Out: a plan, once the lists show what amp did less than a
 * horizon ago, and the observation that it was made from.
 */
export interface Decided {
  readonly plan: Plan;
  readonly seen: Observation;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
/** A wait that is longer than this is said. */
const SILENT_MS = 1_000;

/**
 * Makes a plan from fresh lists, and again until they show what amp did less than a horizon ago.
 * @throws {InterruptedError | TerminatedError} on a signal while a large plan is made
 * @throws {ServiceError} where the lists are behind for longer than the run waits
 */
export async function decidePlan(observer: Observer, model: RoutingModel): Promise<Decided> {
  const { ports, state, horizons } = observer;
  const began = ports.elapsed();
  let wait = FIRST_WAIT_MS;
  for (let isSaid = false; ; ) {
    const seen = await observe(observer);
    const input = { model, state, seen, choices: ports.options };
    const plan = await planWithReads(observer, input);
    if (plan.waiting.length === 0 || ports.signal.aborted) return { plan, seen };
    const waited = ports.elapsed() - began;
    if (waited >= (ports.options.patienceMs ?? Number.POSITIVE_INFINITY)) {
      throw routingErrors.lists_outdated();
    }
    if (!isSaid && waited + wait > SILENT_MS) {
      isSaid = true;
      const waiting = new Map(plan.waiting.map((one) => [one.address, one]));
      for (const { address, at, for: moment } of waiting.values()) {
        const ms = Math.max(0, horizons.of(at, moment) - ports.elapsed());
        ports.onEvent({ type: "waiting", address, ms, why: LIST_IS_BEHIND, horizon: true });
      }
    }
    await ports.sleep(wait, ports.signal).catch(() => {});
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

const LIST_IS_BEHIND = "the list does not show yet what amp did";

/** Makes a plan; where it takes names away, anew with the reads of customers that have them. */
async function planWithReads({ ports }: Observer, input: PlanInput): Promise<Plan> {
  const plan = await planUntil(ports.signal, input);
  const names = ports.options.accept.includes("references") ? [] : plan.items.flatMap(lostName);
  if (names.length === 0 || plan.waiting.length > 0 || !ports.findReads) return plan;
  const reads = await ports.findReads([...new Set(names)]);
  return reads.size === 0 ? plan : planUntil(ports.signal, { ...input, reads });
}

async function planUntil(signal: AbortSignal, input: PlanInput): Promise<Plan> {
  for (const steps = planSteps(input); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    await handleSignals(signal).catch((reason: unknown) => {
      throw signalError(reason);
    });
  }
}

/** The name under which reads no longer find a destination, once a plan is applied. */
function lostName(item: PlanItem): string[] {
  if (item.kind !== "destination") return [];
  if (item.action === "delete") return addressParts(item.address).names.slice(0, 1);
  if (item.action !== "update" || !item.fields.includes("name")) return [];
  const listed = item.differences.find(({ field }) => field === "name")?.found;
  if (typeof listed === "string") return [listed];
  return item.renamedFrom === undefined ? [] : addressParts(item.renamedFrom).names.slice(0, 1);
}
