import type { Address } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import {
  bodyOf,
  compareText,
  dependenciesOf,
  type ExistingIds,
  type Resource,
} from "../model/routing.ts";
import { fingerprint } from "../state/fingerprint.ts";
import type { RoutingState } from "../state/state.ts";
import type { LiveIndex } from "./live.ts";
import type { PlannedAction } from "./plan.ts";
import { type ChangeFacts, planAdoption } from "./plan-change.ts";

/** The facts that the plan of a resource depends on. */
export interface PlanningFacts extends ChangeFacts {
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

/** Plans a resource that is not in the state, by its natural key. */
export function planNew(
  resource: Resource,
  combinations: readonly ExistingIds[],
  facts: PlanningFacts,
): PlannedAction {
  const { index } = facts;
  if (index === undefined) return planWithoutLists(resource, combinations, facts);
  // A resource that is being replaced may still be listed under its name.
  const found = combinations
    .flatMap((ids) => index.matches(resource, ids))
    .filter(({ id }) => facts.isReplaced?.(resource.kind, id) !== true);
  const { listed } = facts.renames?.get(resource.address) ?? {};
  const [one = listed] = found;
  if (one === undefined) return createUnlessThere(resource, combinations, index, facts);
  // A route with several possible topics is ambiguous even if only one route is listed.
  if (found.length > 1 || combinations.length > 1) {
    return { action: "ambiguous", ids: found.map(({ id }) => id).sort(compareText) };
  }
  return planAdoption(resource, one, facts);
}

/**
 * Plans a create, unless a listed route without dependencies may be this one: then the user has to
 * decide.
 */
function createUnlessThere(
  resource: Resource,
  combinations: readonly ExistingIds[],
  index: LiveIndex,
  { isKnown = () => false }: PlanningFacts,
): PlannedAction {
  const found = combinations.flatMap((ids) => index.candidates(resource, ids)).map(({ id }) => id);
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
