import { isDeepStrictEqual } from "node:util";
import { compareText } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { type Address, nameFieldOf } from "../model/address.ts";
import { type LiveRecord, type ResourceKind, referencesOf } from "../model/resource.ts";
import { bodyOf, dependenciesOf, type ExistingIds, type Resource } from "../model/routing.ts";
import { fingerprint } from "../state/fingerprint.ts";
import type { KnownRecord, RoutingState } from "../state/state.ts";
import { type Changes, changesOf, fieldFingerprints, keptFieldsOf } from "./changes.ts";
import type { PlanChoices } from "./choices.ts";
import { differencesOf } from "./diff.ts";
import type { LiveIndex } from "./live.ts";
import type { PlannedAction } from "./plan.ts";
import type { Rename } from "./renames.ts";

/** The facts that the plan of a resource depends on. */
export interface PlanningFacts {
  readonly state: Pick<RoutingState, "records" | "pending" | "salt"> | undefined;
  /** The index of the live routing; absent: the service has no lists. */
  readonly index: LiveIndex | undefined;
  /** Whether the state has a record with this ID, under any address. */
  readonly isKnown: (kind: ResourceKind, id: string) => boolean;
  /** The ID of the record in the state, under any address, that was made from a body. */
  readonly idOfBody: (kind: ResourceKind, fingerprint: string) => string | undefined;
  /** The renames that the routing declares and that are not done yet, by the new address. */
  readonly renames: ReadonlyMap<Address, Rename>;
  readonly choices: Pick<PlanChoices, "recreate" | "adoptChanges" | "changeShared">;
  /** The name of the routing; absent: it owns nothing. */
  readonly name: string | undefined;
}

/** The facts about a resource that is in the state. */
export type KnownFacts = PlanningFacts & { readonly state: object };

/** Plans a resource that is not in the state, by its natural key. */
export function planNew(
  resource: Resource,
  combinations: readonly ExistingIds[],
  facts: PlanningFacts,
): PlannedAction {
  const { index } = facts;
  if (index === undefined) return planWithoutLists(resource, combinations, facts);
  const found = combinations.flatMap((ids) => index.matches(resource, ids));
  const { listed } = facts.renames.get(resource.address) ?? {};
  const [one = listed] = found;
  if (one === undefined) return createUnlessThere(resource, combinations, index, facts);
  // A route with several possible topics is ambiguous even if only one route is listed.
  if (found.length > 1 || combinations.length > 1) {
    const ids = found.map(({ id }) => id).sort(compareText);
    return { action: "conflict", reason: "ambiguous", ids };
  }
  return planAdoption(resource, one, facts.choices);
}

/**
 * Plans a create, unless a listed route without dependencies may be this one: then the user has to
 * decide.
 */
function createUnlessThere(
  resource: Resource,
  combinations: readonly ExistingIds[],
  index: LiveIndex,
  { isKnown }: PlanningFacts,
): PlannedAction {
  const found = combinations.flatMap((ids) => index.candidates(resource, ids)).map(({ id }) => id);
  const ids = [...new Set(found)].filter((id) => !isKnown(resource.kind, id)).sort(compareText);
  return ids.length === 0 ? { action: "create" } : { action: "conflict", reason: "unclear", ids };
}

/**
 * Plans a resource without lists. The state may have a route under another address, if the routing
 * renamed its topic or destination; a route's content is its natural key alone.
 */
function planWithoutLists(
  resource: Resource,
  [ids]: readonly ExistingIds[],
  { state, idOfBody }: PlanningFacts,
): PlannedAction {
  if (state === undefined || ids === undefined || dependenciesOf(resource).length === 0)
    return { action: "create" };
  const wanted = fingerprintOf(state, resource, ids);
  const id = idOfBody(resource.kind, wanted);
  return id === undefined ? { action: "create" } : { action: "adopt", id };
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

/** Plans a listed record that the state does not have: it is changed only on request. */
export function planAdoption(
  resource: Resource,
  record: LiveRecord,
  { adoptChanges }: Pick<PlanChoices, "adoptChanges">,
): PlannedAction {
  const { id } = record;
  const differences = differencesOf(resource, record);
  if (differences.length === 0) return { action: "adopt", id };
  const changes = withName(resource, record, changesOf(resource, record, undefined, ""));
  const canChange = changes.fixed.length === 0 && changes.fields.length > 0;
  if (!canChange) return { action: "conflict", reason: "differs", id, differences };
  if (!adoptChanges) return { action: "conflict", reason: "not_managed", id, differences };
  return { action: "update", id, ...sentChanges(changes), adopts: true };
}

/**
 * Adds the difference of the name, which an update can change where the routing declares it: also
 * that of its case alone, for customers' reads name a destination.
 */
function withName(resource: Resource, record: LiveRecord | undefined, changes: Changes): Changes {
  const field = nameFieldOf(resource.kind);
  if (field === undefined) return changes;
  const [wanted] = resource.names;
  const found = record?.[field];
  if (wanted === found) return changes;
  return {
    ...changes,
    fields: [field, ...changes.fields],
    differences: [{ field, wanted, found }, ...changes.differences],
    redefines: true,
    isUnkept: false,
  };
}

function sentChanges({ fields, differences }: Changes): Pick<Changes, "fields" | "differences"> {
  return { fields, differences };
}

/**
 * Plans a resource that the routing changed since its creation. What the service can change is
 * updated; a record that was changed at the service to match is kept. What other routings want gets
 * no new values, unless that is asked for.
 * @param record absent: the service has no lists
 */
export function planChanged(
  resource: Resource,
  record: LiveRecord | undefined,
  known: KnownRecord,
  facts: KnownFacts,
): PlannedAction {
  const { id } = known;
  const { renames, choices } = facts;
  const { salt } = facts.state;
  const rename = renames.get(resource.address);
  if (record === undefined && rename === undefined && known.fields === undefined) {
    // A route, or an imported resource, of which the state does not say which field changed.
    const isRoute = referencesOf(resource.kind).length > 0;
    return {
      action: "conflict",
      reason: isRoute ? "differs" : "cannot_change",
      id,
      differences: [],
    };
  }
  const content = changesOf(resource, record, known, salt);
  const named = { id, name: rename?.name };
  const changes = rename ? withName(resource, record ?? named, content) : content;
  const { fixed, fields } = changes;
  const differences = [...fixed, ...changes.differences];
  const others = otherOwners(known, facts);
  const owners = others.length === 0 ? {} : { owners: others };
  if (others.length > 0 && changes.redefines && !choices.changeShared) {
    return { action: "conflict", reason: "shared", id, differences, ...owners };
  }
  if (fixed.length > 0) {
    return { action: "conflict", reason: "cannot_change", id, differences, ...owners };
  }
  // After an update by its own command only the fields one by one say that it is the same. The state
  // keeps what another routing says of it, or they would take turns.
  const isKnown =
    known.fields && isDeepStrictEqual(known.fields, fieldFingerprints(salt, resource));
  if (fields.length === 0 && rename === undefined && (isKnown || others.length > 0)) {
    return { action: "in_place", id };
  }
  const more = { ...defined({ renamedFrom: rename?.from }), ...keptFieldsOf(resource, known) };
  if (fields.length === 0) return { action: "adopt", id, ...more };
  const reason = changes.isUnkept ? ({ reason: "not_kept" } as const) : {};
  return { action: "update", ...reason, id, ...sentChanges(changes), ...more, ...owners };
}

/** The other routings that want a record. */
export function otherOwners(
  { owners = [] }: Pick<KnownRecord, "owners">,
  { name }: Pick<PlanningFacts, "name">,
): readonly string[] {
  return owners.filter((owner) => owner !== name);
}
