import { compareText } from "../../values/basics.ts";
import { type Address, addressOf, addressParts, recordKey } from "../model/address.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
} from "../model/resource.ts";
import { dependenciesOf, type ExistingIds, resourceAt } from "../model/routing.ts";
import type { KnownRecord, RecordOrigin, RoutingState } from "../state/state.ts";
import type { RunChoices } from "./choices.ts";
import { compareKey } from "./diff.ts";
import type { LiveIndex, LiveRouting } from "./live.ts";
import { type Difference, type KeptResource, type Plan, type PlanItem, recordIds } from "./plan.ts";
import { dependencyIds, otherOwners } from "./plan-change.ts";
import type { PlannedRenames } from "./renames.ts";
import { normalizedSpelling } from "./spelling.ts";

type ExistingItem = Pick<PrunedItem, "address" | "kind" | "id">;

/** A record to delete. */
export type PrunedItem = Extract<PlanItem, { action: "delete" }>;

type UnnamedRecords = Pick<Plan, "items" | "kept" | "others" | "removedFromFile">;

interface PruneFacts {
  readonly state: Pick<RoutingState, "records" | "pending"> | undefined;
  readonly live: LiveRouting | undefined;
  readonly index: LiveIndex | undefined;
  /** The name of the routing; absent: it owns nothing. */
  readonly name: string | undefined;
  readonly choices: Pick<RunChoices, "prune" | "remove">;
  /** Addresses that the routing may mean by an earlier name. */
  readonly protectedFrom: ReadonlySet<Address>;
  /** The renames of the same plan: the lists still have the names before. */
  readonly renames: PlannedRenames["renames"];
}

/**
 * Sorts the records that the routing does not name: what it owned alone is deleted, in this order,
 * what others want is only released, and the rest is none of its business.
 * @param items the resources that the routing names; their records are not deleted under another
 *   name
 * @returns `kept`: records that other routes use, since deleting them might delete those routes,
 *   and records that the service lists with another natural key, since a state by another author
 *   can name any ID
 */
export function planPrune(items: readonly PlanItem[], facts: PruneFacts): UnnamedRecords {
  const { state, live, index } = facts;
  const named = new Set([...items.map(({ address }) => address), ...facts.protectedFrom]);
  const used = new Set(
    items.flatMap((item) => recordIds(item).map((id) => recordKey(item.kind, id))),
  );
  const unnamed = [...(state?.records ?? [])]
    .filter(([at, { id }]) => !named.has(at) && !used.has(recordKey(addressParts(at).kind, id)))
    .sort(([a], [b]) => compareText(a, b));
  const groups = Map.groupBy(unnamed, ([address, record]) => fateOf(address, record, facts));
  const made = (groups.get("prune") ?? []).map(([address, { id }]): PrunedItem => {
    const { kind } = addressParts(address);
    const found = index?.byId(kind, id);
    const { name, type } = found ?? {};
    return { address, kind, action: "delete", id, ...(found ? { listed: { name, type } } : {}) };
  });
  const released = (groups.get("release") ?? []).map(([address, record]): PlanItem => {
    const { kind } = addressParts(address);
    return { address, kind, action: "release", id: record.id, owners: otherOwners(record, facts) };
  });
  const declared = new Map(
    items.flatMap((item) => (item.action === "in_place" ? [[item.address, item.id]] : [])),
  );
  const doubts = made.map((one) => keyDifferences(one, facts, declared));
  const sure = made.filter((_, at) => doubts[at]?.length === 0);
  // Most plans prune nothing, and need not know what all routes use.
  const routesOf = made.length === 0 ? () => [] : otherRoutes(state, sure, live);
  const kept = made.flatMap((one, at): KeptResource[] => {
    const { address, id } = one;
    const routes = routesOf(one);
    const differences = doubts[at] ?? [];
    if (differences.length > 0) return [{ address, id, routes, differences }];
    return routes.length > 0 ? [{ address, id, routes }] : [];
  });
  const stays = new Set(kept.map(({ address }) => address));
  const deleted = RESOURCE_ORDER.toReversed().flatMap((kind) =>
    made.filter((one) => one.kind === kind && !stays.has(one.address)),
  );
  return {
    kept,
    items: [...released, ...deleted],
    others: (groups.get("other") ?? []).map(([address, record]) => {
      return { address, id: record.id, owners: otherOwners(record, facts) };
    }),
    removedFromFile: (groups.get("removed") ?? []).map(([address, { id, origin }]) => {
      return { address, id, origin };
    }),
  };
}

function fateOf(
  address: Address,
  record: Pick<KnownRecord, "id" | "origin" | "owners">,
  facts: PruneFacts,
): "prune" | "release" | "other" | "removed" {
  const { prune, remove } = facts.choices;
  const { owners = [], origin } = record;
  if (remove !== undefined) {
    if (!remove.has(address)) return "other";
    if (owners.length === 0) return MADE_BY_AMP[origin] ? "prune" : "other";
  } else if (!prune) {
    return isRemoved(address, record, facts) ? "removed" : "other";
  }
  if (facts.name === undefined || !owners.includes(facts.name)) return "other";
  return otherOwners(record, facts).length === 0 && MADE_BY_AMP[origin] ? "prune" : "release";
}

/**
 * The fields of the natural key in which the service lists a record otherwise than its address
 * says. The ends of a route are compared by their listed names, since a state can give any ID a
 * name.
 * @param declared the IDs that the routing has for its resources
 */
function keyDifferences(
  { address, kind, id }: PrunedItem,
  { state, index, renames }: Pick<PruneFacts, "state" | "index" | "renames">,
  declared: ExistingIds,
): readonly Difference[] {
  const found = index?.byId(kind, id);
  if (index === undefined || found === undefined) return [];
  const resource = resourceAt(address);
  const ids = dependencyIds(resource, (end) => declared.get(end) ?? state?.records.get(end)?.id);
  const { different } = compareKey(resource, found, ids);
  if (different.length > 0) return isListedAs(address, found) ? [] : different;
  return RESOURCES[kind].key.flatMap(({ field, references }, at): Difference[] => {
    const value = found[field];
    const wanted = resource.names[at] ?? "";
    if (references === undefined || typeof value !== "string" || value === "") return [];
    const end = index.byId(references, value);
    const endAddress = addressOf(references, wanted);
    if (declared.has(endAddress)) return [];
    if (!end?.name) return ids.has(endAddress) ? [] : [{ field, wanted: undefined, found: value }];
    const before = renames.get(endAddress)?.name;
    if (end.name === before || isListedAs(endAddress, end)) return [];
    return [{ field: references, wanted, found: end.name }];
  });
}

function isListedAs(address: Address, { name }: LiveRecord): boolean {
  if (!name) return false;
  return normalizedSpelling(name) === normalizedSpelling(addressParts(address).names[0]);
}

/** The routes at a topic or destination that are not deleted with it, as far as they are known. */
function otherRoutes(
  state: Pick<RoutingState, "records"> | undefined,
  made: readonly ExistingItem[],
  live: LiveRouting | undefined,
): (one: ExistingItem) => readonly string[] {
  const deleted = new Set(made.map(({ kind, id }) => recordKey(kind, id)));
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
    [...new Set([...(users.get(recordKey(kind, id)) ?? []), ...(users.get(address) ?? [])])].sort(
      compareText,
    );
}

/** True for origins whose resources amp created; others are never deleted. */
export const MADE_BY_AMP: Readonly<Record<RecordOrigin, boolean>> = {
  created: true,
  reconciled: true,
  adopted: false,
  imported: false,
};

/** True if only this routing wanted a resource, which still exists. */
function isRemoved(
  address: Address,
  { id, owners = [] }: Pick<KnownRecord, "id" | "owners">,
  { name, index }: PruneFacts,
): boolean {
  const isOwn = owners.length === 1 && owners[0] === name;
  return isOwn && (index === undefined || index.byId(addressParts(address).kind, id) !== undefined);
}
