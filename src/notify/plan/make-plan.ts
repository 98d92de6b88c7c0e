import { type Address, addressParts } from "../model/address.ts";
import { RESOURCE_ORDER, type ResourceKind } from "../model/resource.ts";
import {
  canonicalRouting,
  compareText,
  type ExistingIds,
  endpointsOf,
  existingIds,
  missingResources,
  type Resource,
  type RoutingModel,
} from "../model/routing.ts";
import { duplicatesOf } from "./duplicates.ts";
import { indexLive, type LiveIndex, type LiveRouting } from "./live.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { type PlanningFacts, planResource } from "./plan-resource.ts";
import { planPrune, recordIds } from "./prune.ts";

/** What a plan is made from. */
export interface PlanInput extends Pick<PlanningFacts, "state"> {
  readonly model: RoutingModel;
  /** Absent: the service has no lists. */
  readonly live: LiveRouting | undefined;
}

/**
 * Works out what applying a routing would do. A pure function: the same input, in any order, makes
 * the same plan.
 *
 * - Known to the state, and made from the same body: in place, whatever fields the list leaves out; one
 *   that it shows with another natural key is a conflict. From another body: a conflict.
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
export function makePlan({ model, state, live }: PlanInput): Plan {
  const wanted = canonicalRouting(model);
  const index = live && indexLive(live);
  const known = new Set(
    [...(state?.records ?? [])].map(([at, { id }]) => `${addressParts(at).kind} ${id}`),
  );
  const isKnown = (kind: ResourceKind, id: string) => known.has(`${kind} ${id}`);
  // One for a resource that exists, several where it is not known which, none for one to create.
  const ids = new Map<Address, readonly string[]>();
  const existing = [...existingIds(wanted)].map((one) => planExisting(one, index));
  for (const item of existing) ids.set(item.address, recordIds(item));
  const planned = missingResources(wanted).map((resource): PlanItem => {
    const { address, kind } = resource;
    const action = planResource(resource, combinations(resource, ids), { state, index, isKnown });
    const item: PlanItem = { address, kind, resource, ...action };
    ids.set(address, possibleIds(item, resource, index, state));
    return item;
  });
  const ordered = [...existing, ...planned].toSorted(
    (a, b) => RESOURCE_ORDER.indexOf(a.kind) - RESOURCE_ORDER.indexOf(b.kind),
  );
  const named = oneAddressPerRecord(ordered);
  const isNamed = new Set(named.map(({ address }) => address));
  // Creates that were begun for a routing that named more are looked up, not created again.
  const items = [...openCreates(state).filter(({ address }) => !isNamed.has(address)), ...named];
  const prune = planPrune(state, items, live);
  return {
    items: [...items, ...prune.items],
    kept: prune.kept,
    lists: live !== undefined,
    duplicates: duplicatesOf(items, index),
  };
}

/** Every combination of IDs that a route may connect; an empty one for a resource without endpoints. */
function combinations(
  resource: Resource,
  ids: ReadonlyMap<Address, readonly string[]>,
): readonly ExistingIds[] {
  return endpointsOf(resource).reduce<readonly ExistingIds[]>(
    (found, endpoint) =>
      found.flatMap((one) => (ids.get(endpoint) ?? []).map((id) => new Map(one).set(endpoint, id))),
    [new Map()],
  );
}

/** The IDs that routes to a resource may have to hold. What is missing will get another one. */
function possibleIds(
  item: PlanItem,
  resource: Resource,
  index: LiveIndex | undefined,
  state: PlanningFacts["state"],
): readonly string[] {
  if (item.action !== "reconcile") return recordIds(item);
  const before = state?.pending.get(item.address)?.idsBefore ?? [];
  const found = index?.matches(resource, new Map()) ?? [];
  const fresh = found.map(({ id }) => id).filter((id) => !before.includes(id));
  return fresh.sort(compareText);
}

/** The creates that earlier runs left open. */
export function openCreates(state: PlanningFacts["state"]): PlanItem[] {
  return [...(state?.pending.keys() ?? [])]
    .sort(compareText)
    .map((address) => ({ address, kind: addressParts(address).kind, action: "reconcile" }));
}

/** What the routing says exists: in place, unless the list shows no such id. */
function planExisting(
  [address, id]: readonly [Address, string],
  index: LiveIndex | undefined,
): PlanItem {
  const { kind } = addressParts(address);
  if (index === undefined || index.byId(kind, id) !== undefined) {
    return { address, kind, action: "in-place", id };
  }
  const differences = [{ field: "id", wanted: id, found: undefined }];
  return { address, kind, action: "conflict", id, differences };
}

/**
 * Lets no two addresses have the same record: what routes connect would be connected twice. The
 * first one keeps it.
 */
function oneAddressPerRecord(items: readonly PlanItem[]): PlanItem[] {
  const owners = new Map<string, Address>();
  return items.map((item) => {
    if (item.action !== "in-place" && item.action !== "adopt") return item;
    const { address, kind, id } = item;
    const owner = owners.get(`${kind} ${id}`);
    owners.set(`${kind} ${id}`, owner ?? address);
    if (owner === undefined) return item;
    const differences = [{ field: "id", wanted: "one of its own", found: `that of ${owner}` }];
    return { ...item, action: "conflict", differences };
  });
}
