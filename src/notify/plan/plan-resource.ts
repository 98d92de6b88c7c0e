import { type Address, addressParts } from "../model/address.ts";
import type { LiveRecord } from "../model/resource.ts";
import {
  bodyOf,
  compareText,
  type ExistingIds,
  endpointsOf,
  type Resource,
} from "../model/routing.ts";
import { fingerprint, sameFingerprint, UNKNOWN_FINGERPRINT } from "../state/fingerprint.ts";
import type { KnownRecord, RoutingState } from "../state/state.ts";
import { differencesOf } from "./diff.ts";
import type { LiveIndex } from "./live.ts";
import type { Difference, PlannedAction } from "./plan.ts";

/** What a resource is judged by. */
export interface PlanningFacts {
  readonly state: Pick<RoutingState, "records" | "pending" | "salt"> | undefined;
  /** Absent: the service has no lists. */
  readonly index: LiveIndex | undefined;
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
  if (one === undefined) return { action: "create" };
  // One of several topics that a route may belong to: whose it is, is not known either.
  if (found.length > 1 || pairs.length > 1) {
    return { action: "ambiguous", ids: found.map(({ id }) => id).sort(compareText) };
  }
  return takenOrConflict("adopt", one, differencesOf(resource, one));
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
  const isSame = sameFingerprint(known.fingerprint, fingerprintOf(state, resource, ids));
  if (index === undefined) {
    return isSame ? { action: "in-place", id } : { action: "conflict", id, differences: [] };
  }
  const record = index.byId(resource.kind, id);
  if (record === undefined || !connects(resource, record, pairs, index)) {
    const found = planNew(resource, pairs, knowledge);
    if (found.action !== "create") return found;
    const isMoved = (pair: ExistingIds) =>
      endpointsOf(resource).some((endpoint) => {
        const before = state.records.get(endpoint);
        return before !== undefined && before.id !== pair.get(endpoint);
      });
    const follows = record !== undefined || pairs.every(isMoved);
    return { action: "missing", id, ...(follows ? { follows } : {}) };
  }
  if (known.fingerprint === UNKNOWN_FINGERPRINT) {
    return takenOrConflict("in-place", record, differencesOf(resource, record));
  }
  return isSame ? { action: "in-place", id } : planChanged(resource, record);
}

/** Whether a route still leads from and to where it should; anything else does not lead. */
function connects(
  resource: Resource,
  record: LiveRecord,
  pairs: readonly ExistingIds[],
  index: LiveIndex,
): boolean {
  if (endpointsOf(resource).length === 0) return true;
  return pairs.some((ids) => index.matches(resource, ids).some(({ id }) => id === record.id));
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
