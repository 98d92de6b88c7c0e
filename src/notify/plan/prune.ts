import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { type Address, addressParts } from "../model/address.ts";
import { RESOURCE_ORDER, RESOURCES, type ResourceKind } from "../model/resource.ts";
import { compareText, dependenciesOf, resourceAt } from "../model/routing.ts";
import type { RecordOrigin, RoutingState } from "../state/state.ts";
import { type PlanChoices, shownValue } from "./blockers.ts";
import { compareKey } from "./diff.ts";
import type { LiveIndex, LiveRouting } from "./live.ts";
import type { Difference, Kept, Plan, PlanItem } from "./plan.ts";
import { dependencyIds } from "./plan-resource.ts";

/** Whether the state made a record of this origin; others are never deleted. */
const IS_OWN: Readonly<Record<RecordOrigin, boolean>> = {
  created: true,
  reconciled: true,
  adopted: false,
  imported: false,
};

/** A record to delete. */
export type PrunedItem = Extract<PlanItem, { action: "prune" }>;

/**
 * The records that the state made and the routing no longer names, in the order of deletion.
 * @param items the resources that the routing names; their records are not deleted under another
 *   name
 * @returns `kept`: records that other routes use, since deleting them might delete those routes,
 *   and records that the service lists with another natural key, since a state by another author
 *   can name any ID
 */
export function planPrune(
  state: Pick<RoutingState, "records" | "pending"> | undefined,
  items: readonly PlanItem[],
  live: LiveRouting | undefined,
  index: LiveIndex | undefined,
): { readonly items: readonly PlanItem[]; readonly kept: readonly Kept[] } {
  const named = new Set(items.map(({ address }) => address));
  const used = new Set(items.flatMap((item) => recordIds(item).map((id) => `${item.kind} ${id}`)));
  const made = [...(state?.records ?? [])]
    .filter(([address, { origin }]) => IS_OWN[origin] && !named.has(address))
    .map(([address, { id }]): PrunedItem => {
      const { kind } = addressParts(address);
      const found = index?.byId(kind, id);
      const { name, type } = found ?? {};
      return { address, kind, action: "prune", id, ...(found ? { listed: { name, type } } : {}) };
    })
    .filter(({ kind, id }) => !used.has(`${kind} ${id}`))
    .sort((a, b) => compareText(a.address, b.address));
  // Most plans prune nothing, and need not know what all routes use.
  if (made.length === 0) return { items: [], kept: [] };
  const doubts = made.map((one) => keyDifferences(one, state, index));
  const sure = made.filter((_, at) => doubts[at]?.length === 0);
  const others = otherRoutes(state, sure, live);
  const kept = made.flatMap((one, at): Kept[] => {
    const { address, id } = one;
    const routes = others(one);
    const differences = doubts[at] ?? [];
    if (differences.length > 0) return [{ address, id, routes, differences }];
    return routes.length > 0 ? [{ address, id, routes }] : [];
  });
  const stays = new Set(kept.map(({ address }) => address));
  return {
    kept,
    items: RESOURCE_ORDER.toReversed().flatMap((kind) =>
      made.filter((one) => one.kind === kind && !stays.has(one.address)),
    ),
  };
}

/** The fields of the natural key in which the service lists a record otherwise than the state. */
function keyDifferences(
  { address, kind, id }: PrunedItem,
  state: Pick<RoutingState, "records"> | undefined,
  index: LiveIndex | undefined,
): readonly Difference[] {
  const found = index?.byId(kind, id);
  if (found === undefined) return [];
  const resource = resourceAt(address);
  const ids = dependencyIds(resource, (endpoint) => state?.records.get(endpoint)?.id);
  return compareKey(resource, found, ids).different;
}

/** The warning about a resource that is kept because its ID may be that of another one. */
export function otherwiseListed(
  address: Address,
  id: string,
  differences: readonly Difference[],
): [text: string, forget: SuggestedCommand] {
  const found = differences.map(({ field, found }) => `${field} ${shownValue(found)}`).join(", ");
  const text = `${address} is kept: the service lists ${id} with ${found}. If amp did not create that one, remove it from the state.`;
  return [text, suggest("notify forget", [address])];
}

/** Whether applying would delete something. */
export function deletes({ items }: Plan, { prune }: PlanChoices): boolean {
  return prune && items.some(({ action }) => action === "prune");
}

/** The IDs of an item's records that exist. */
export function recordIds(item: PlanItem): readonly string[] {
  if (item.action === "missing") return [];
  if ("ids" in item) return item.ids;
  return "id" in item ? [item.id] : [];
}

/** The routes at a topic or destination that are not deleted with it, as far as they are known. */
function otherRoutes(
  state: Pick<RoutingState, "records"> | undefined,
  made: readonly PrunedItem[],
  live: LiveRouting | undefined,
): (one: PrunedItem) => readonly string[] {
  const deleted = new Set(made.map(({ kind, id }) => `${kind} ${id}`));
  const users = new Map<string, Set<string>>();
  const use = (dependency: string, kind: ResourceKind, route: string) => {
    if (deleted.has(`${kind} ${route}`)) return;
    users.set(dependency, (users.get(dependency) ?? new Set()).add(route));
  };
  for (const kind of RESOURCE_ORDER) {
    for (const { field, references } of RESOURCES[kind].key) {
      if (references === undefined) continue;
      for (const record of live?.[kind] ?? [])
        use(`${references} ${record[field]}`, kind, record.id);
    }
  }
  // The state also has routes where there are no lists, and those adopted in the meantime.
  for (const [address, { id }] of state?.records ?? []) {
    const resource = resourceAt(address);
    for (const dependency of dependenciesOf(resource)) use(dependency, resource.kind, id);
  }
  return ({ address, kind, id }) =>
    [...new Set([...(users.get(`${kind} ${id}`) ?? []), ...(users.get(address) ?? [])])].sort(
      compareText,
    );
}
