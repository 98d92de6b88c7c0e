import { type Address, addressParts, destinationAddress, topicAddress } from "../model/address.ts";
import type { Resource } from "../model/resource.ts";
import { compareText } from "../model/routing.ts";
import { fingerprint, sameFingerprint, UNKNOWN_FINGERPRINT } from "../state/fingerprint.ts";
import type { KnownRecord, RoutingState } from "../state/state.ts";
import { differencesOf } from "./diff.ts";
import { endpointsOf, type LiveIndex, type LiveRecord } from "./live.ts";
import type { Difference, PlannedAction } from "./plan.ts";

/** Ids of the topics and destinations that a route connects. */
export type EndpointIds = ReadonlyMap<Address, string>;

/** The fingerprint of the body that would create a step. */
export type FingerprintOf = (step: Resource, ids: EndpointIds) => string;

/** What a step is judged by. */
export interface PlanningFacts {
  readonly state: Pick<RoutingState, "records" | "pending"> | undefined;
  /** Absent: the service has no lists. */
  readonly index: LiveIndex | undefined;
  readonly fingerprintOf: FingerprintOf;
}

/**
 * What is to be done about a step.
 * @param pairs the ids that its ends may have, see `Ends`
 */
export function planResource(
  step: Resource,
  pairs: readonly EndpointIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  if (knowledge.state?.pending.has(step.address)) return { action: "reconcile" };
  const known = knowledge.state?.records.get(step.address);
  return known === undefined
    ? planNotInState(step, pairs, knowledge)
    : planInState(step, known, pairs, knowledge);
}

/** One that the state does not know: the natural key decides. */
function planNotInState(
  step: Resource,
  pairs: readonly EndpointIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  const { index } = knowledge;
  if (index === undefined) return planWithoutLists(step, pairs, knowledge);
  const found = pairs.flatMap((ids) => index.matches(step, ids));
  const [one] = found;
  if (one === undefined) return { action: "create" };
  // One of several topics that a route may belong to: whose it is, is not known either.
  if (found.length > 1 || pairs.length > 1) {
    return { action: "ambiguous", ids: found.map(({ id }) => id).sort(compareText) };
  }
  return adoptOrConflict(one, differencesOf(step, one));
}

/**
 * Without lists the state may still know a route by another address, where the routing calls its
 * topic or destination otherwise; what a route is made from is its natural key, and no more.
 */
function planWithoutLists(
  step: Resource,
  [ids]: readonly EndpointIds[],
  { state, fingerprintOf }: PlanningFacts,
): PlannedAction {
  if (state === undefined || ids === undefined || "name" in step) return { action: "create" };
  const wanted = fingerprintOf(step, ids);
  const same = [...state.records].find(
    ([address, { fingerprint }]) =>
      fingerprint === wanted && addressParts(address).kind === step.kind,
  );
  return same === undefined ? { action: "create" } : { action: "adopt", id: same[1].id };
}

function adoptOrConflict({ id }: LiveRecord, differences: readonly Difference[]): PlannedAction {
  return differences.length === 0
    ? { action: "adopt", id }
    : { action: "conflict", id, differences };
}

function planInState(
  step: Resource,
  known: KnownRecord,
  pairs: readonly EndpointIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  const { state, index, fingerprintOf } = knowledge;
  const { id } = known;
  const [ids] = pairs;
  // A route of a topic that is made anew: the old one leads nowhere.
  if (ids === undefined) return { action: "missing", id, follows: true };
  const isSame = sameFingerprint(known.fingerprint, fingerprintOf(step, ids));
  if (index === undefined) {
    return isSame ? { action: "in-place", id } : { action: "conflict", id, differences: [] };
  }
  const record = index.byId(step.kind, id);
  if (record === undefined || !connects(step, record, pairs, index)) {
    const found = planNotInState(step, pairs, knowledge);
    if (found.action !== "create") return found;
    const isMoved = (pair: EndpointIds) =>
      endpointsOf(step).some((end) => {
        const before = state?.records.get(end);
        return before !== undefined && before.id !== pair.get(end);
      });
    const follows = record !== undefined || pairs.every(isMoved);
    return { action: "missing", id, ...(follows ? { follows } : {}) };
  }
  if (known.fingerprint === UNKNOWN_FINGERPRINT) {
    const differences = differencesOf(step, record);
    return differences.length === 0
      ? { action: "in-place", id }
      : { action: "conflict", id, differences };
  }
  return isSame ? { action: "in-place", id } : planChanged(step, record);
}

/** Whether a route still leads from and to where it should; anything else does not lead. */
function connects(
  step: Resource,
  record: LiveRecord,
  pairs: readonly EndpointIds[],
  index: LiveIndex,
): boolean {
  if ("name" in step) return true;
  return pairs.some((ids) => index.matches(step, ids).some(({ id }) => id === record.id));
}

/**
 * The routing wants it otherwise than it was created. Where somebody has changed it at the service
 * meanwhile so that it is just as wanted, it is taken as it is; a secret cannot be seen, so never then.
 */
function planChanged(step: Resource, record: LiveRecord): PlannedAction {
  const hasSecrets = step.kind === "destination" && Object.keys(step.part.secrets).length > 0;
  const differences = differencesOf(step, record, { further: true });
  if (differences.length > 0 || !hasSecrets) return adoptOrConflict(record, differences);
  return { action: "conflict", id: record.id, differences: [] };
}

/** Fingerprints as a state keeps them: of the body that creates a step, keyed by the state's salt. */
export function fingerprintsOf(salt: string): FingerprintOf {
  return (step, ids) => fingerprint(salt, fingerprintedBody(step, ids));
}

/** The body in which secrets are still hidden. */
function fingerprintedBody(step: Resource, ids: ReadonlyMap<Address, string>): unknown {
  if ("event" in step) return { topicId: ids.get(topicAddress(step.topic)), eventType: step.event };
  if ("destination" in step) {
    return {
      topicId: ids.get(topicAddress(step.topic)),
      destinationId: ids.get(destinationAddress(step.destination)),
    };
  }
  if (step.kind === "topic") return { name: step.name };
  const { type, metadata, secrets } = step.part;
  const hidden = Object.keys(secrets).length > 0 ? { secrets } : {};
  return { name: step.name, type, metadata, ...hidden };
}
