import type { LiveRecord } from "../model/resource.ts";
import { dependenciesOf, type ExistingIds, type Resource } from "../model/routing.ts";
import { sameFingerprint, UNKNOWN_FINGERPRINT } from "../state/fingerprint.ts";
import type { KnownRecord, PendingWrite, RoutingState } from "../state/state.ts";
import { changesOf } from "./changes.ts";
import { compareKey, differencesOf, type KeyComparison } from "./diff.ts";
import type { PlannedAction } from "./plan.ts";
import {
  fingerprintOf,
  type KnownFacts,
  type PlanningFacts,
  planChanged,
  planNew,
} from "./plan-change.ts";

/**
 * Plans one resource.
 * @param combinations the possible IDs of its dependencies, in each combination
 */
export function planResource(
  resource: Resource,
  combinations: readonly ExistingIds[],
  facts: PlanningFacts,
): PlannedAction {
  const pending = facts.state?.pending.get(resource.address);
  if (pending) return unknownAction(pending);
  const { state } = facts;
  const known = state?.records.get(resource.address);
  return state === undefined || known === undefined
    ? planNew(resource, combinations, facts)
    : planKnown(resource, known, combinations, { ...facts, state });
}

/** The action for a create or update that an earlier run began. */
export function unknownAction({ update, created }: PendingWrite): PlannedAction {
  const action = "unknown";
  if (update !== undefined) return { action, id: update.id };
  return created ? { action, reason: "id_unknown" } : { action };
}

function planKnown(
  resource: Resource,
  known: KnownRecord,
  combinations: readonly ExistingIds[],
  facts: KnownFacts,
): PlannedAction {
  const { state, index } = facts;
  const { id } = known;
  // A route of a topic that is created again: the old route is of no use.
  if (combinations.length === 0) return { action: "create", reason: "follows", previousId: id };
  if (index === undefined) {
    const isSame = isMadeFrom(known, resource, combinations, state);
    if (isSame && !facts.renames.has(resource.address)) return { action: "in_place", id };
    return planChanged(resource, undefined, known, facts);
  }
  const record = index.byId(resource.kind, id);
  if (record !== undefined) return planListed(resource, { known, record }, combinations, facts);
  // It was deleted elsewhere, or the list is out of date.
  const follows = haveMoved(resource, combinations, state);
  return planLost(resource, { id, follows }, combinations, facts);
}

/** Plans a resource that is in the state, and whose ID is listed. */
function planListed(
  resource: Resource,
  { known, record }: { readonly known: KnownRecord; readonly record: LiveRecord },
  combinations: readonly ExistingIds[],
  facts: KnownFacts,
): PlannedAction {
  const { state } = facts;
  const { id } = known;
  const change = () => planChanged(resource, record, known, facts);
  const isSame = isMadeFrom(known, resource, combinations, state);
  const isImported = known.fingerprint === UNKNOWN_FINGERPRINT;
  const isRoute = dependenciesOf(resource).length > 0;
  const { different, isWhole, spelling } = closestKey(resource, record, combinations);
  const hasKey = different.length === 0;
  // The topic of a route was replaced: the listed route is that of the earlier topic, unless the
  // list shows that it leads to the new one.
  const isEarlier = isImported ? haveMoved(resource, combinations, state) : !isSame;
  if (isRoute && isEarlier && !(isWhole && hasKey)) {
    return planLost(resource, { id, follows: true }, combinations, facts);
  }
  // The file renames topic ops to crm, and the service still calls it ops.
  const rename = facts.renames.get(resource.address);
  const hasName = different.every(({ found }) => String(found) === rename?.name);
  if (rename !== undefined && hasName) return change();
  // Somebody renamed topic ops to crm at the service. If another topic is called ops now, adopting
  // that one would lose the ID of crm. A route is nothing but its ends: another one with the same
  // is as good.
  if (!hasKey) {
    const other = isRoute ? planNew(resource, combinations, facts) : undefined;
    if (other !== undefined && other.action !== "create") return other;
    return { action: "conflict", reason: "differs", id, differences: different };
  }
  // It was added by amp notify state import, so that its values are known from the list alone.
  if (isImported) {
    return differencesOf(resource, record).length === 0 ? { action: "in_place", id } : change();
  }
  // The file has another URL than at the last apply.
  if (!isSame) return change();
  // Somebody changed the URL at the service, or it did not keep the one that it was sent.
  if (hasDrifted(resource, record, known, state)) return change();
  return { action: "in_place", id, ...(spelling.length > 0 ? { spelling } : {}) };
}

function isMadeFrom(
  known: KnownRecord,
  resource: Resource,
  combinations: readonly ExistingIds[],
  state: KnownFacts["state"],
): boolean {
  return combinations.some((ids) =>
    sameFingerprint(known.fingerprint, fingerprintOf(state, resource, ids)),
  );
}

/** Whether a field has another value at the service, beyond its spelling. */
function hasDrifted(
  resource: Resource,
  record: LiveRecord,
  known: KnownRecord,
  { salt }: Pick<RoutingState, "salt">,
): boolean {
  const { fields, fixed } = changesOf(resource, record, known, salt);
  return fields.length + fixed.length > 0;
}

function closestKey(
  resource: Resource,
  record: LiveRecord,
  combinations: readonly ExistingIds[],
): KeyComparison {
  return combinations
    .map((ids) => compareKey(resource, record, ids))
    .reduce((best, one) => (one.different.length < best.different.length ? one : best));
}

/**
 * Plans a resource that is listed no more, or with another key; another record of its natural key
 * replaces it.
 */
function planLost(
  resource: Resource,
  { id, follows }: { readonly id: string; readonly follows: boolean },
  combinations: readonly ExistingIds[],
  facts: PlanningFacts,
): PlannedAction {
  const found = planNew(resource, combinations, facts);
  if (found.action !== "create") return found;
  if (follows) return { action: "create", reason: "follows", previousId: id };
  const reason = "not_listed";
  return facts.choices.recreate
    ? { action: "create", reason, previousId: id }
    : { action: "conflict", reason, id };
}

/** Whether a route's topic or destination is not the one in the state. */
function haveMoved(
  resource: Resource,
  combinations: readonly ExistingIds[],
  { records }: Pick<RoutingState, "records">,
): boolean {
  return combinations.every((ids) =>
    dependenciesOf(resource).some((dependency) => {
      const before = records.get(dependency);
      return before !== undefined && before.id !== ids.get(dependency);
    }),
  );
}
