import type { RoutingModel } from "../model/routing.ts";
import { sharedTopics } from "../plan/beyond.ts";
import { assertApplicable } from "../plan/conflicts.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import { readState } from "../state/open-backend.ts";
import { type Decided, decidePlan } from "./decide.ts";
import { failedRunError } from "./failure.ts";
import { createHorizons } from "./observe.ts";
import { type Run, withRun } from "./run.ts";
import { observerOf, openPlaces, settle } from "./settle.ts";
import type { EnginePorts, Receipt } from "./types.ts";
import { verify } from "./verify.ts";
import { write } from "./write.ts";

/** The operations of {@link createEngine}. */
export type Engine = ReturnType<typeof createEngine>;

/** An engine over its ports. Creating it reads and sends nothing. */
export function createEngine(ports: EnginePorts) {
  return {
    /** Makes a plan from fresh lists; settles and sends nothing, and takes no lock. */
    plan: async (model: RoutingModel) => {
      const saved = await readState(ports);
      const horizons = createHorizons(ports);
      const { plan } = await decidePlan({ ports, state: saved?.state, horizons }, model);
      ports.onEvent({ type: "planned", plan });
      return plan;
    },
    apply: (model: RoutingModel, approve?: Approve) => applyModel(ports, model, approve),
  };
}

/** Throws unless a plan may be applied. */
type Approve = (plan: Plan) => Promise<void>;

/**
 * Applies a model: takes the lock, settles what was begun, observes and decides, then writes and
 * verifies what was agreed to.
 * @throws {PartialError} exit 9: partly applied, or an outcome is unknown
 * @throws {ConflictError} exit 5: a conflict with what exists, ambiguous, or locked
 * @throws {AmpError} the service's refusal, where nothing was changed
 */
function applyModel(
  ports: EnginePorts,
  model: RoutingModel,
  approve: Approve | undefined,
): Promise<Receipt> {
  return withRun(ports, model, async (run) => {
    const { notDone } = await settle(run, openPlaces(run));
    await throwIfStopped(run, []);
    const decided = await decidePlan(observerOf(run), model);
    const { plan } = decided;
    ports.onEvent({ type: "planned", plan });
    await throwIfStopped(run, plan.items);
    await approve?.(plan);
    assertApplicable(plan);
    await throwIfStopped(run, plan.items);
    await write(run, model, decided, notDone);
    await throwIfStopped(run, plan.items);
    return receiptOf(run, decided);
  });
}

async function throwIfStopped(run: Run, items: readonly PlanItem[]): Promise<void> {
  if (!run.outcomes.isStopped) return;
  const inRun = items.filter(({ action }) => action !== "release");
  const named = inRun.filter(({ action }) => action !== "delete");
  const open = openPlaces(run).map(({ address }) => address);
  const addresses = inRun.length > 0 ? inRun.map(({ address }) => address) : open;
  throw await failedRunError(run, addresses, named.length || open.length);
}

async function receiptOf(run: Run, decided: Decided): Promise<Receipt> {
  const { plan } = decided;
  const { ports, manager, outcomes } = run;
  const { duplicates, verified } = await verify(run, decided);
  const { lineage, serial } = manager.state;
  const order = [...new Set(plan.items.map(({ address }) => address))];
  const shared = sharedTopics(plan.items, plan);
  const places = new Map(order.map((address, at) => [address, at]));
  const place = ({ address }: Pick<PlanItem, "address">) => places.get(address) ?? order.length;
  return {
    settled: [...outcomes.settled.toSorted((a, b) => place(a) - place(b)), ...outcomes.deleted],
    duplicates,
    verified,
    lists: plan.lists,
    kept: plan.kept,
    ...(plan.removedFromFile.length === 0 ? {} : { removedFromFile: plan.removedFromFile }),
    ...(shared.length === 0 ? {} : { sharedTopics: shared }),
    ...(plan.unmanaged.length === 0 ? {} : { unmanaged: plan.unmanaged }),
    ...(run.waited.size === 0 ? {} : { waited: [...run.waited.values()] }),
    state: { location: ports.backend.location, lineage, serial },
  };
}
