import { type RoutingModel, standingOf } from "../model.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import { carryOut, tellInPlace } from "./carry-out.ts";
import { isEnded } from "./create-all.ts";
import { endingOf } from "./ending.ts";
import type { EnginePorts, Receipt } from "./engine.ts";
import { settlePending } from "./pending.ts";
import { planNow } from "./planned.ts";
import { prune } from "./prune.ts";
import { refuseObstacles } from "./refuse.ts";
import { type Run, withRun } from "./run.ts";
import { verify } from "./verify.ts";

/** Brings about what a model wants; see `Engine.apply`. */
export function applyModel(
  ports: EnginePorts,
  model: RoutingModel,
  approve: ((plan: Plan) => Promise<void>) | undefined,
): Promise<Receipt> {
  return withRun(ports, standingOf(model), async (run) => {
    const first = await planNow(run, model);
    ports.observe({ type: "planned", plan: first.plan });
    await stopIfEnded(run, first.plan);
    await approve?.(first.plan);
    refuseObstacles(first.plan, ports.options);
    await stopIfEnded(run, first.plan);
    tellInPlace(run, first);
    const begun = run.journal.state.pending.size > 0;
    const absent = begun ? await settlePending(run, first.plan.lists) : [];
    await stopIfEnded(run, first.plan);
    // What was found may be what routes lead to: only now can those be looked up.
    const now = begun ? await planNow(run, model, new Map()) : first;
    refuseObstacles(now.plan, ports.options);
    tellInPlace(run, now);
    await carryOut(run, now, absent);
    await stopIfEnded(run, now.plan);
    if (ports.options.prune) await prune(run, now.plan);
    await stopIfEnded(run, now.plan);
    return receiptOf(run, model, now.plan);
  });
}

async function stopIfEnded(run: Run, { items }: Plan): Promise<void> {
  if (!isEnded(run)) return;
  const toPrune = run.ports.options.prune;
  throw await endingOf(run, {
    total: items.filter(({ action }) => action !== "prune").length,
    addresses: items
      .filter(({ action }) => action !== "prune" || toPrune)
      .map(({ address }) => address),
  });
}

async function receiptOf(run: Run, model: RoutingModel, plan: Plan): Promise<Receipt> {
  const { ports, journal, ledger } = run;
  const { duplicates, verified } = await verify(run, model, plan);
  const order = new Map(plan.items.map(({ address }, at) => [address, at]));
  const place = ({ address }: Pick<PlanItem, "address">) => order.get(address) ?? order.size;
  return {
    settled: ledger.settled.toSorted((a, b) => place(a) - place(b)),
    deleted: [...ledger.deleted],
    duplicates,
    verified,
    lists: plan.lists,
    state: {
      place: ports.backend.place,
      lineage: journal.state.lineage,
      serial: journal.state.serial,
    },
  };
}
