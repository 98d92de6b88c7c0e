import type { RoutingModel } from "../model.ts";
import type { LiveRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import type { RoutingState } from "../state/state.ts";
import { fingerprintsOf } from "./body.ts";
import { look, type Run } from "./run.ts";

/** A plan with what it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly live: LiveRouting | undefined;
}

const WAIT_MS = 1_000;

/** The plan for a state and a list. */
export function planOf(
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
): Promise<Planned> {
  const { ports, journal } = run;
  const most = ports.now().getTime() + ports.options.resetHorizonMs;
  for (let told = false; ; told = true) {
    const live = await look(run);
    const plan = planOf(model, { ...journal.state, pending }, live);
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
