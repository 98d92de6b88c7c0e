import { type Address, addressParts } from "../address.ts";
import { type RoutingModel, standingOf } from "../model.ts";
import { STEP_ORDER, type Step, stepsOf } from "../steps.ts";
import { canonical, compare } from "./canonical.ts";
import { openEnds } from "./ends.ts";
import type { LiveRouting } from "./live.ts";
import { indexLive, type LiveIndex } from "./natural-key.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { type Knowledge, planStep } from "./plan-step.ts";
import { idsOf, planPrune } from "./prune.ts";
import { planStanding, withoutDoubles } from "./standing.ts";

/** What a plan is made from. */
export interface PlanInput extends Pick<Knowledge, "state" | "fingerprintOf"> {
  readonly model: RoutingModel;
  /** Absent: the service has no lists. */
  readonly live: LiveRouting | undefined;
}

/**
 * Works out what applying a routing would do. A pure function: the same input, in any order, makes
 * the same plan.
 *
 * - Known to the state, and made from the same body: in place. From another body: a conflict.
 * - Known to the state, and not in the list: `missing`, unless the list has another one of its
 *   natural key. Its routes are to be made anew with it.
 * - Not known: the list decides by natural key. Of several none is taken. Without lists, a route that
 *   the state knows under another name of its topic or destination is taken.
 * - Said by the routing to exist: in place if the list shows its id, else a conflict.
 * - Known, and no longer named: pruned if this state made it (created, or found again after an
 *   unknown outcome). What was adopted or imported was there before, and stays.
 *
 * A route whose topic or destination is to be reconciled is planned by what the list shows now; its
 * natural key is to be looked up again once their ids are known.
 */
export function makePlan({ model, state, live, fingerprintOf }: PlanInput): Plan {
  const wanted = canonical(model);
  const index = live && indexLive(live);
  const ends = openEnds();
  const standing = [...standingOf(wanted)].map((one) => planStanding(one, index));
  for (const item of standing) ends.found(item.address, idsOf(item));
  const planned = stepsOf(wanted).map((step): PlanItem => {
    const { address, kind } = step;
    const action = planStep(step, ends.of(step), { state, index, fingerprintOf });
    const item: PlanItem = { address, kind, step, ...action };
    ends.found(address, endIds(item, step, index, state));
    return item;
  });
  const named = withoutDoubles(inOrder([...standing, ...planned]));
  const items = [...begunOthers(named, state), ...named];
  const prune = planPrune(state, items, live);
  return { items: [...items, ...prune.items], kept: prune.kept, lists: live !== undefined };
}

function inOrder(items: readonly PlanItem[]): PlanItem[] {
  return items.toSorted((a, b) => STEP_ORDER.indexOf(a.kind) - STEP_ORDER.indexOf(b.kind));
}

/** The ids that routes of a thing may have to lead to. What is missing gets another. */
function endIds(
  item: PlanItem,
  step: Step,
  index: LiveIndex | undefined,
  state: Knowledge["state"],
): readonly string[] {
  if (item.action !== "reconcile") return idsOf(item);
  const before = state?.pending.get(item.address)?.idsBefore ?? [];
  const found = index?.matches(step, new Map()) ?? [];
  const fresh = found.map(({ id }) => id).filter((id) => !before.includes(id));
  return fresh.sort(compare);
}

/** What was begun for a routing that named more: it is settled, and not created again. */
function begunOthers(named: readonly PlanItem[], state: Knowledge["state"]): PlanItem[] {
  const addresses = new Set(named.map(({ address }) => address));
  return [...(state?.pending.keys() ?? [])]
    .filter((address: Address) => !addresses.has(address))
    .sort(compare)
    .map((address) => ({ address, kind: addressParts(address).kind, action: "reconcile" }));
}
