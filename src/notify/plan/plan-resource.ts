import type { Address } from "../model/address.ts";
import type { LiveRecord, ResourceKind } from "../model/resource.ts";
import {
  bodyOf,
  compareText,
  dependenciesOf,
  type ExistingIds,
  type Resource,
} from "../model/routing.ts";
import { fingerprint, sameFingerprint, UNKNOWN_FINGERPRINT } from "../state/fingerprint.ts";
import type { KnownRecord, PendingWrite, RoutingState } from "../state/state.ts";
import { changesOf } from "./changes.ts";
import { compareKey, differencesOf, type KeyComparison } from "./diff.ts";
import type { LiveIndex } from "./live.ts";
import type { PlannedAction } from "./plan.ts";
import { type ChangeChoices, planAdoption, planChanged } from "./plan-change.ts";

/** The facts that the plan of a resource depends on. */
export interface PlanningFacts extends ChangeChoices {
  readonly state: Pick<RoutingState, "records" | "pending" | "salt" | "files"> | undefined;
  /** The index of the live routing; absent: the service has no lists. */
  readonly index: LiveIndex | undefined;
  /** Whether the state has a record with this ID, under any address. */
  readonly isKnown?: (kind: ResourceKind, id: string) => boolean;
  /** Whether the record with this ID is being replaced by another one. */
  readonly isReplaced?: (kind: ResourceKind, id: string) => boolean;
  /** The ID of the record in the state, under any address, that was made from a body. */
  readonly idOfBody?: (kind: ResourceKind, fingerprint: string) => string | undefined;
}

/**
 * Plans one resource.
 * @param pairs the possible IDs of its dependencies, in each combination
 */
export function planResource(
  resource: Resource,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  const begun = knowledge.state?.pending.get(resource.address);
  if (begun) return reconcileAction(begun);
  const { state } = knowledge;
  const known = state?.records.get(resource.address);
  return state === undefined || known === undefined
    ? planNew(resource, pairs, knowledge)
    : planKnown(resource, known, pairs, { ...knowledge, state });
}

/** The action for a create or update that an earlier run began. */
export function reconcileAction({ update, created }: PendingWrite): PlannedAction {
  const action = "reconcile";
  if (update !== undefined) return { action, isUpdate: true, id: update.id };
  return created ? { action, isCreated: true } : { action };
}

/** Plans a resource that is not in the state, by its natural key. */
function planNew(
  resource: Resource,
  pairs: readonly ExistingIds[],
  knowledge: PlanningFacts,
): PlannedAction {
  const { index } = knowledge;
  if (index === undefined) return planWithoutLists(resource, pairs, knowledge);
  // A resource that is being replaced may still be listed under its name.
  const found = pairs
    .flatMap((ids) => index.matches(resource, ids))
    .filter(({ id }) => knowledge.isReplaced?.(resource.kind, id) !== true);
  const { listed } = knowledge.renames?.get(resource.address) ?? {};
  const [one = listed] = found;
  if (one === undefined) return createUnlessThere(resource, pairs, index, knowledge);
  // A route with several possible topics is ambiguous even if only one route is listed.
  if (found.length > 1 || pairs.length > 1) {
    return { action: "ambiguous", ids: found.map(({ id }) => id).sort(compareText) };
  }
  return planAdoption(resource, one, knowledge);
}

/**
 * Plans a create, unless a listed route without dependencies may be this one: then the user has to
 * decide.
 */
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
 * Plans a resource without lists. The state may have a route under another address, if the routing
 * renamed its topic or destination; a route's content is its natural key alone.
 */
function planWithoutLists(
  resource: Resource,
  [ids]: readonly ExistingIds[],
  { state, idOfBody = () => undefined }: PlanningFacts,
): PlannedAction {
  if (state === undefined || ids === undefined || dependenciesOf(resource).length === 0)
    return { action: "create" };
  const wanted = fingerprintOf(state, resource, ids);
  const id = idOfBody(resource.kind, wanted);
  return id === undefined ? { action: "create" } : { action: "adopt", id };
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
  // The old route belongs to a topic that is created again, and is of no use.
  if (ids === undefined) return { action: "missing", id, follows: true };
  const isSame = pairs.some((pair) =>
    sameFingerprint(known.fingerprint, fingerprintOf(state, resource, pair)),
  );
  const rename = knowledge.renames?.get(resource.address);
  if (index === undefined) {
    if (isSame && rename === undefined) return { action: "in-place", id };
    return planChanged(resource, undefined, known, knowledge);
  }
  const record = index.byId(resource.kind, id);
  const hasOtherDependencies = () => pairs.every((pair) => hasMoved(resource, pair, state));
  if (record === undefined) return planLost(resource, id, pairs, knowledge, hasOtherDependencies());
  const isImported = known.fingerprint === UNKNOWN_FINGERPRINT;
  const key = closestKey(resource, record, pairs);
  // The record is a route of the earlier topic, unless the list shows that it leads to the new
  // one.
  const isOfOthers =
    dependenciesOf(resource).length > 0 && (isImported ? hasOtherDependencies() : !isSame);
  if (isOfOthers && !(key.isWhole && key.different.length === 0)) {
    return planLost(resource, id, pairs, knowledge, true);
  }
  const isRenamed =
    rename !== undefined && key.different.every(({ found }) => String(found) === rename.name);
  if (key.different.length > 0 && !isRenamed) {
    const found = planNew(resource, pairs, knowledge);
    // To take another one would lose the ID of what has another name now.
    const isName = dependenciesOf(resource).length === 0;
    return isName || found.action === "create"
      ? { action: "conflict", id, differences: key.different }
      : found;
  }
  if (isImported && !isRenamed && differencesOf(resource, record).length === 0) {
    return { action: "in-place", id };
  }
  const doubtful = known.shown === undefined ? differencesOf(resource, record) : [];
  const isToChange =
    doubtful.length > 0 ? knowledge.adoptChanges : hasDrifted(resource, record, known, state);
  if (isImported || !isSame || isRenamed || isToChange) {
    return planChanged(resource, record, known, knowledge);
  }
  const { spelling } = key;
  const differences = doubtful.length > 0 ? { differences: doubtful } : {};
  return { action: "in-place", id, ...(spelling.length > 0 ? { spelling } : {}), ...differences };
}

/** Whether a field of the routing was changed elsewhere, and can be updated. */
function hasDrifted(
  resource: Resource,
  record: LiveRecord,
  known: KnownRecord,
  { salt }: Pick<RoutingState, "salt">,
): boolean {
  if (known.shown === undefined) return false;
  const { fields, fixed } = changesOf(resource, record, known, salt);
  return fields.length > 0 && fixed.length === 0;
}

/** The comparison of a listed record with the dependencies that fit it best. */
function closestKey(
  resource: Resource,
  record: LiveRecord,
  pairs: readonly ExistingIds[],
): KeyComparison {
  return pairs
    .map((pair) => compareKey(resource, record, pair))
    .reduce((best, one) => (one.different.length < best.different.length ? one : best));
}

/**
 * Plans a resource that is listed no more, or with another key; another record of its natural key
 * replaces it.
 */
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

/** Whether a route's topic or destination is not the one in the state. */
function hasMoved(
  resource: Resource,
  pair: ExistingIds,
  { records }: Pick<RoutingState, "records">,
): boolean {
  return dependenciesOf(resource).some((dependency) => {
    const before = records.get(dependency);
    return before !== undefined && before.id !== pair.get(dependency);
  });
}

/** The fingerprint of the body that creates a resource, as a state keeps it. */
export function fingerprintOf(
  { salt }: Pick<RoutingState, "salt">,
  resource: Resource,
  ids: ExistingIds,
): string {
  return fingerprint(salt, bodyOf(resource, ids));
}

/** The IDs of a resource's dependencies, as far as they are known. */
export function dependencyIds(
  resource: Resource,
  idOf: (dependency: Address, at: number) => string | undefined,
): Map<Address, string> {
  return new Map(
    dependenciesOf(resource).flatMap((dependency, at): [Address, string][] => {
      const id = idOf(dependency, at);
      return id === undefined ? [] : [[dependency, id]];
    }),
  );
}
