import { applicablePart, isPending, type ShownChoices } from "./blockers.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { secretUses } from "./secret-uses.ts";
import { ACTIONS, type ActionWord, type ItemDocument, itemDocument } from "./vocabulary.ts";

/** A plan as JSON output and its page have it. */
export type PlanDocument = ReturnType<typeof planJson>;

/**
 * A plan as JSON: without the resources, which may hold secrets, and with counts.
 * @param warnings what is doubtful about the routing, as it was reported
 */
export function planJson(plan: Plan, choices: ShownChoices, warnings: readonly string[] = []) {
  const skipped = new Set(choices.keepGoing ? applicablePart(plan, choices).skipped : []);
  const items = plan.items.map((item) =>
    skipped.has(item.address) ? leftOut(item) : itemDocument(item, choices),
  );
  return {
    pending: isPending(plan),
    ...choices,
    lists: plan.hasLists,
    counts: actionCounts(items),
    items,
    secrets: secretUses(plan),
    kept: plan.kept,
    others: plan.others,
    removedFromFile: plan.removedFromFile,
    duplicates: plan.duplicates,
    renamed: plan.needlessRenames,
    unmanaged: plan.unmanaged,
    warnings,
  };
}

/** An item that a run does not try, because it depends on a conflict. */
function leftOut(item: PlanItem): ItemDocument {
  const { address, kind } = item;
  const known = "id" in item ? { id: item.id } : {};
  return { address, kind, action: "conflict", reason: "depends_on_conflict", ...known };
}

/**
 * A plan that is not made from a routing file: what that would not name any more, or what else the
 * state has, is none of its business.
 */
export function withoutFile(plan: Plan): Plan {
  const items = plan.items.map((item): PlanItem => {
    if (!("keptFields" in item)) return item;
    const { keptFields: _, ...rest } = item;
    return rest;
  });
  return { ...plan, items, others: [], removedFromFile: [], needlessRenames: [], unmanaged: [] };
}

function actionCounts(items: readonly ItemDocument[]): Record<ActionWord, number> {
  const actions = Object.keys(ACTIONS) as ActionWord[];
  return Object.fromEntries(
    actions.map((action) => [action, items.filter((item) => item.action === action).length]),
  ) as Record<ActionWord, number>;
}
