import { addressParts } from "../model/address.ts";
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

/** The fingerprint of the body that would create a resource. */
export type FingerprintOf = (resource: Resource, ids: ExistingIds) => string;

/** What a resource is judged by. */
export interface PlanningFacts {
  readonly state: Pick<RoutingState, "records" | "pending"> | undefined;
  /** Absent: the service has no lists. */
  readonly index: LiveIndex | undefined;
  readonly fingerprintOf: FingerprintOf;
}

/**
 * What is to be done about a resource.
 * @param pairs the ids that its ends may have, see `Ends`
 */
export function planResource(
  resource: Resource,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  if (knowledge.state?.pending.has(resource.address)) return { action: "reconcile" };
  const known = knowledge.state?.records.get(resource.address);
  return known === undefined
    ? planNew(resource, pairs, knowledge)
    : planKnown(resource, known, pairs, knowledge);
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
  return adoptOrConflict(one, differencesOf(resource, one));
}

/**
 * Without lists the state may still know a route by another address, where the routing calls its
 * topic or destination otherwise; what a route is made from is its natural key, and no more.
 */
function planWithoutLists(
  resource: Resource,
  [ids]: readonly ExistingIds[],
  { state, fingerprintOf }: PlanningFacts,
): PlannedAction {
  if (state === undefined || ids === undefined || endpointsOf(resource).length === 0)
    return { action: "create" };
  const wanted = fingerprintOf(resource, ids);
  const same = [...state.records].find(
    ([address, { fingerprint }]) =>
      fingerprint === wanted && addressParts(address).kind === resource.kind,
  );
  return same === undefined ? { action: "create" } : { action: "adopt", id: same[1].id };
}

function adoptOrConflict({ id }: LiveRecord, differences: readonly Difference[]): PlannedAction {
  return differences.length === 0
    ? { action: "adopt", id }
    : { action: "conflict", id, differences };
}

function planKnown(
  resource: Resource,
  known: KnownRecord,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  const { state, index, fingerprintOf } = knowledge;
  const { id } = known;
  const [ids] = pairs;
  // A route of a topic that is made anew: the old one leads nowhere.
  if (ids === undefined) return { action: "missing", id, follows: true };
  const isSame = sameFingerprint(known.fingerprint, fingerprintOf(resource, ids));
  if (index === undefined) {
    return isSame ? { action: "in-place", id } : { action: "conflict", id, differences: [] };
  }
  const record = index.byId(resource.kind, id);
  if (record === undefined || !connects(resource, record, pairs, index)) {
    const found = planNew(resource, pairs, knowledge);
    if (found.action !== "create") return found;
    const isMoved = (pair: ExistingIds) =>
      endpointsOf(resource).some((endpoint) => {
        const before = state?.records.get(endpoint);
        return before !== undefined && before.id !== pair.get(endpoint);
      });
    const follows = record !== undefined || pairs.every(isMoved);
    return { action: "missing", id, ...(follows ? { follows } : {}) };
  }
  if (known.fingerprint === UNKNOWN_FINGERPRINT) {
    const differences = differencesOf(resource, record);
    return differences.length === 0
      ? { action: "in-place", id }
      : { action: "conflict", id, differences };
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
  if (differences.length > 0 || !hasSecrets) return adoptOrConflict(record, differences);
  return { action: "conflict", id: record.id, differences: [] };
}

/** Fingerprints as a state keeps them: of the body that creates a resource, keyed by the state's salt. */
export function fingerprintsOf(salt: string): FingerprintOf {
  return (resource, ids) => fingerprint(salt, bodyOf(resource, ids));
}
