import { indexLive, type LiveRouting, type Observation } from "../../../src/notify/plan/live.ts";
import { planSteps } from "../../../src/notify/plan/make-plan.ts";
import type { Plan } from "../../../src/notify/plan/plan.ts";
import type { PlanInput } from "../../../src/notify/plan/planning.ts";

/** Lists that may be believed: amp has done nothing lately. Undefined: the service has none. */
export function seen(live: LiveRouting | undefined): Observation {
  const index = live && indexLive(live);
  return { live, index, isYoung: () => false };
}

/** Makes a plan in one go. */
export function makePlan(input: PlanInput): Plan {
  for (const steps = planSteps(input); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
