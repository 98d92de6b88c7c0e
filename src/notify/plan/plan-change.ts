import type { Address } from "../model/address.ts";
import { nameFieldOf } from "../model/names.ts";
import { type LiveRecord, referencesOf } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { KnownRecord, RoutingState } from "../state/state.ts";
import { type Changes, changesOf, keptFieldsOf } from "./changes.ts";
import { differencesOf } from "./diff.ts";
import type { PlannedAction } from "./plan.ts";
import type { Rename } from "./renames.ts";

/** The facts that a change in place depends on. */
export interface ChangeFacts {
  /** The renames that the routing declares and that are not done yet, by the new address. */
  readonly renames?: ReadonlyMap<Address, Rename>;
  /** Whether a record that is not in the state may be changed. */
  readonly adoptChanges?: boolean;
  /** Whether what other routings want may be changed. */
  readonly changeShared?: boolean;
  /** The name of the routing; absent: it owns nothing. */
  readonly name?: string | undefined;
}

/** Plans a listed record that the state does not have: it is changed only on request. */
export function planAdoption(
  resource: Resource,
  record: LiveRecord,
  { adoptChanges = false }: ChangeFacts,
): PlannedAction {
  const { id } = record;
  const differences = differencesOf(resource, record);
  if (differences.length === 0) return { action: "adopt", id };
  const changes = withName(resource, record, changesOf(resource, record, undefined, ""));
  const canChange = changes.fixed.length === 0 && changes.fields.length > 0;
  if (!canChange) return { action: "conflict", id, differences };
  if (!adoptChanges) return { action: "conflict", id, differences, reason: "not_managed" };
  return { action: "update", id, ...sentChanges(changes), adopts: true };
}

/**
 * Adds the difference of the name, which an update can change where the routing declares it: also that of
 * its case alone, for customers' reads name a destination.
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
  };
}

function sentChanges({ fields, differences }: Changes): Pick<Changes, "fields" | "differences"> {
  return { fields, differences };
}

/**
 * Plans a resource that the routing changed since its creation. What the service can change is
 * updated; a record that was changed at the service to match is kept. What other routings want gets no
 * new values, unless that is asked for.
 * @param record absent: the service has no lists
 */
export function planChanged(
  resource: Resource,
  record: LiveRecord | undefined,
  known: KnownRecord,
  facts: ChangeFacts & { readonly state: Pick<RoutingState, "salt"> },
): PlannedAction {
  const { id } = known;
  const { renames, changeShared = false } = facts;
  const { salt } = facts.state;
  const rename = renames?.get(resource.address);
  if (record === undefined && rename === undefined && known.fields === undefined) {
    // A route, or the state of an earlier version, which does not say which field changed.
    const isRoute = referencesOf(resource.kind).length > 0;
    const reason = isRoute ? {} : ({ reason: "cannot_change" } as const);
    return { action: "conflict", id, differences: [], ...reason };
  }
  const content = changesOf(resource, record, known, salt);
  const named = { id, name: rename?.name };
  const changes = rename ? withName(resource, record ?? named, content) : content;
  const { fixed, fields } = changes;
  const differences = [...fixed, ...changes.differences];
  const others = otherOwners(known, facts);
  const owners = others.length === 0 ? {} : { owners: others };
  if (others.length > 0 && changes.redefines && !changeShared) {
    return { action: "conflict", id, differences, reason: "shared", ...owners };
  }
  if (fixed.length > 0) {
    return { action: "conflict", id, differences, reason: "cannot_change", ...owners };
  }
  const from = rename?.from === undefined ? {} : { from: rename.from };
  // The state keeps what another routing says of it, or they would take turns.
  if (fields.length === 0 && rename === undefined && others.length > 0) {
    return { action: "in-place", id };
  }
  const more = { ...from, ...keptFieldsOf(resource, known), ...owners };
  if (fields.length === 0) return { action: "adopt", id, ...more };
  return { action: "update", id, ...sentChanges(changes), ...more };
}

/** The other routings that want a record. */
export function otherOwners(
  { owners = [] }: Pick<KnownRecord, "owners">,
  { name }: Pick<ChangeFacts, "name">,
): readonly string[] {
  return owners.filter((owner) => owner !== name);
}
