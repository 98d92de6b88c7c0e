import { AmpError } from "../../errors.ts";
import type { Address } from "../address.ts";
import { type RoutingModel, standingOf } from "../model.ts";
import { duplicatesOf } from "../plan/natural-key.ts";
import type { Plan } from "../plan/plan.ts";
import type { Receipt } from "./engine.ts";
import { look, type Run } from "./run.ts";

/**
 * The last look of a run: natural keys with several records. Everything is in place by then, so a
 * list that fails ends nothing.
 */
export async function verify(
  run: Run,
  model: RoutingModel,
  plan: Plan,
): Promise<Pick<Receipt, "duplicates" | "verified">> {
  if (!plan.lists) return { duplicates: [], verified: false };
  try {
    const live = await look(run);
    if (live === undefined) return { duplicates: [], verified: false };
    const steps = plan.items.flatMap(({ step }) => step ?? []);
    const known = [...run.journal.state.records].map(([address, { id }]) => [address, id] as const);
    const ids = new Map<Address, string>([...known, ...standingOf(model)]);
    return { duplicates: duplicatesOf(live, steps, ids), verified: true };
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    return { duplicates: [], verified: false };
  }
}
