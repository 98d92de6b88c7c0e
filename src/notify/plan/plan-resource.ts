import { type Address, addressParts } from "../model/address.ts";
import type { LiveRecord, ResourceKind } from "../model/resource.ts";
import {
  bodyOf,
  compareText,
  type ExistingIds,
  endpointsOf,
  type Resource,
} from "../model/routing.ts";
import { fingerprint, sameFingerprint, UNKNOWN_FINGERPRINT } from "../state/fingerprint.ts";
import type { KnownRecord, RoutingState } from "../state/state.ts";
import { compareKey, differencesOf, type KeyComparison } from "./diff.ts";
import type { LiveIndex } from "./live.ts";
import type { Difference, PlannedAction } from "./plan.ts";

/** What a resource is judged by. */
export interface PlanningFacts {
  readonly state: Pick<RoutingState, "records" | "pending" | "salt"> | undefined;
  /** Absent: the service has no lists. */
  readonly index: LiveIndex | undefined;
  /** Whether the state has a record of this ID, by whatever address. */
  readonly isKnown?: (kind: ResourceKind, id: string) => boolean;
}

/**
 * What is to be done about a resource.
 * @param pairs the IDs that its endpoints may have: each combination of them
 */
export function planResource(
  resource: Resource,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  if (knowledge.state?.pending.has(resource.address)) return { action: "reconcile" };
  const { state } = knowledge;
  const known = state?.records.get(resource.address);
  return state === undefined || known === undefined
    ? planNew(resource, pairs, knowledge)
    : planKnown(resource, known, pairs, { ...knowledge, state });
}

/** One that the state does not know: the natural key decides. */
function planNew(
  resource: Resource,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  const { index } = knowledge;
  if (index === undefined) return planWithoutLists(resource, pairs, knowledge);
  const found = pairs.flatMap((ids) => index.matches(resource, ids));
  const [one] = found;
  if (one === undefined) return createUnlessThere(resource, pairs, index, knowledge);
  // One of several topics that a route may belong to: whose it is, is not known either.
  if (found.length > 1 || pairs.length > 1) {
    return { action: "ambiguous", ids: found.map(({ id }) => id).sort(compareText) };
  }
  return takenOrConflict("adopt", one, differencesOf(resource, one));
}

/** A create would double a route that is listed without what it connects, so a person has to say. */
function createUnlessThere(
  resource: Resource,
  pairs: readonly ExistingIds[],
  index: LiveIndex,
  { isKnown = () => false }: PlanningFacts,
): PlannedAction {
  const found = pairs.flatMap((ids) => index.candidates(resource, ids)).map(({ id }) => id);
  const ids = [...new Set(found)].filter((id) => !isKnown(resource.kind, id)).sort(compareText);
  return ids.length === 0 ? { action: "create" } : { action: "ambiguous", ids, unclear: true };
}

/**
 * Without lists the state may still know a route by another address, where the routing calls its
 * topic or destination otherwise; what a route is made from is its natural key, and no more.
 */
function planWithoutLists(
  resource: Resource,
  [ids]: readonly ExistingIds[],
  { state }: PlanningFacts,
): PlannedAction {
  if (state === undefined || ids === undefined || endpointsOf(resource).length === 0)
    return { action: "create" };
  const wanted = fingerprintOf(state, resource, ids);
  const same = [...state.records].find(
    ([address, { fingerprint }]) =>
      fingerprint === wanted && addressParts(address).kind === resource.kind,
  );
  return same === undefined ? { action: "create" } : { action: "adopt", id: same[1].id };
}

/** What exists as wanted is left or taken as it is. */
function takenOrConflict(
  action: "in-place" | "adopt",
  { id }: LiveRecord,
  differences: readonly Difference[],
): PlannedAction {
  return differences.length === 0 ? { action, id } : { action: "conflict", id, differences };
}

function planKnown(
  resource: Resource,
  known: KnownRecord,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts & { readonly state: object },
): PlannedAction {
  const { state, index } = knowledge;
  const { id } = known;
  const [ids] = pairs;
  // A route of a topic that is made anew: the old one leads nowhere.
  if (ids === undefined) return { action: "missing", id, follows: true };
  const isSame = pairs.some((pair) =>
    sameFingerprint(known.fingerprint, fingerprintOf(state, resource, pair)),
  );
  if (index === undefined) {
    return isSame ? { action: "in-place", id } : { action: "conflict", id, differences: [] };
  }
  const record = index.byId(resource.kind, id);
  const hasOtherEnds = pairs.every((pair) => hasMoved(resource, pair, state));
  if (record === undefined) return planLost(resource, id, pairs, knowledge, hasOtherEnds);
  const isImported = known.fingerprint === UNKNOWN_FINGERPRINT;
  const key = closestKey(resource, record, pairs);
  // A route of the topic that was there before: unless the list says that it leads to the new one.
  const isOfOthers = endpointsOf(resource).length > 0 && (isImported ? hasOtherEnds : !isSame);
  if (isOfOthers && !(key.isWhole && key.different.length === 0)) {
    return planLost(resource, id, pairs, knowledge, true);
  }
  if (key.different.length > 0) {
    const found = planNew(resource, pairs, knowledge);
    return found.action === "create"
      ? { action: "conflict", id, differences: key.different }
      : found;
  }
  if (isImported) return takenOrConflict("in-place", record, differencesOf(resource, record));
  if (!isSame) return planChanged(resource, record);
  const { spelling } = key;
  return { action: "in-place", id, ...(spelling.length > 0 ? { spelling } : {}) };
}

/** The key of a listed record, by the endpoints that it fits best. */
function closestKey(
  resource: Resource,
  record: LiveRecord,
  pairs: readonly ExistingIds[],
): KeyComparison {
  return pairs
    .map((pair) => compareKey(resource, record, pair))
    .reduce((best, one) => (one.different.length < best.different.length ? one : best));
}

/** One that the list does not show as it was: another of its natural key is taken in its place. */
function planLost(
  resource: Resource,
  id: string,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
  follows: boolean,
): PlannedAction {
  const found = planNew(resource, pairs, knowledge);
  if (found.action !== "create") return found;
  return { action: "missing", id, ...(follows ? { follows } : {}) };
}

/** Whether a topic or destination of a route is another than the state has. */
function hasMoved(
  resource: Resource,
  pair: ExistingIds,
  { records }: Pick<RoutingState, "records">,
): boolean {
  return endpointsOf(resource).some((endpoint) => {
    const before = records.get(endpoint);
    return before !== undefined && before.id !== pair.get(endpoint);
  });
}

/**
 * The routing wants it otherwise than it was created. Where somebody has changed it at the service
 * meanwhile so that it is just as wanted, it is taken as it is; a secret cannot be seen, so never then.
 */
function planChanged(resource: Resource, record: LiveRecord): PlannedAction {
  const hasSecrets = Object.keys(resource.secrets).length > 0;
  const differences = differencesOf(resource, record, { further: true });
  if (differences.length > 0 || !hasSecrets) return takenOrConflict("adopt", record, differences);
  return { action: "conflict", id: record.id, differences: [] };
}

/** The fingerprint of the body that creates a resource, as a state keeps it. */
export function fingerprintOf(
  { salt }: Pick<RoutingState, "salt">,
  resource: Resource,
  ids: ExistingIds,
): string {
  return fingerprint(salt, bodyOf(resource, ids));
}

/** The IDs of a resource's endpoints, as far as they are known. */
export function endpointIds(
  resource: Resource,
  idOf: (endpoint: Address, at: number) => string | undefined,
): Map<Address, string> {
  return new Map(
    endpointsOf(resource).flatMap((endpoint, at): [Address, string][] => {
      const id = idOf(endpoint, at);
      return id === undefined ? [] : [[endpoint, id]];
    }),
  );
}
