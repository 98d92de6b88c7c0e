import type { Address } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { Difference, PlanItem, PlannedAction } from "./plan.ts";

/** The words of JSON output for what applying a plan does to a resource, and their meanings. */
export const ACTIONS = {
  create: "it does not exist, and is created",
  adopt: "it exists with the same settings, and is added to the state; nothing is sent",
  update: "it exists with different settings, and is updated in place",
  delete: "no routing contains it any more, and it is deleted",
  in_place: "it exists with the same settings; nothing is done",
  release: "this routing no longer contains it, and it is kept; nothing is sent",
  unknown: "the outcome of an earlier create or update is unknown; it is looked up first",
  conflict: "it prevents the plan from being applied; reason has the cause",
} as const;

/** The actions of a plan on a resource. */
export type ActionWord = keyof typeof ACTIONS;

/**
 * The words for why an item is in conflict, unknown, updated or created again, and their meanings.
 */
export const REASONS = {
  differs: "it exists with different settings, and amp does not change them",
  not_managed:
    "it exists with different settings and is not in the state; --accept adopt updates it",
  shared:
    "another routing declares it with different settings, and --accept shared is required to change them",
  cannot_change: "it exists with settings that cannot be updated in place",
  both_exist: "a resource with its name and one with its renamed-from both exist",
  declared_twice: "the routing declares it at another address, too, which is in differences",
  ambiguous: "several resources at the service match",
  unclear: "a resource at the service may match; the list does not show enough to be sure",
  not_found: "the routing has an ID that the service does not list",
  not_listed:
    "it is in the state and no longer listed: it was deleted elsewhere, or the list is out of date",
  follows: "it connects a resource that is created again",
  id_unknown: "the service created it, but the response had no ID",
  not_kept:
    "the service was sent these values before and lists others: it did not keep them, or its list is out of date",
} as const;

/** Why an item is in conflict, unknown, updated or created again. */
export type ReasonWord = keyof typeof REASONS;

/** The words of JSON output for what became of a resource in a run, and their meanings. */
export const OUTCOMES = {
  created: "it was created; with earlier, by an earlier attempt whose outcome was unknown",
  adopted: "it existed with the same settings, and was added to the state",
  in_place: "it existed with the same settings; nothing was done",
  updated: "it was updated in place",
  deleted: "it was deleted",
  failed: "not done: the service refused the request, or it was not sent",
  unknown: "it may have taken effect; it is looked up before it is sent again",
  not_created: "an earlier create was started, but created nothing",
} as const;

/** The outcomes of a resource in a run. */
export type OutcomeWord = keyof typeof OUTCOMES;

/**
 * An item of a plan as JSON output and pages have it: without the resource, which may hold secrets.
 */
export interface ItemDocument {
  readonly resource?: never;
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly action: ActionWord;
  readonly reason?: ReasonWord;
  readonly id?: string;
  /** The type of a destination to create. */
  readonly type?: string;
  /** The hosts that a destination to create delivers to, or the name of its stream. */
  readonly deliversTo?: readonly string[];
  /** The IDs that match, where there are several. */
  readonly ids?: readonly string[];
  /** The ID that the state has for a resource that is created again. */
  readonly previousId?: string;
  readonly differences?: readonly Difference[];
  /** The paths of the fields that an update sends, such as `metadata.url`. */
  readonly fields?: readonly string[];
  /** The address of the resource before its new name. */
  readonly renamedFrom?: Address;
  /** The fields that the routing does not name any more, and that stay as they are. */
  readonly keptFields?: readonly string[];
  /** Whether an update also adds the resource to the state. */
  readonly adopts?: true;
  /** The fields that the service spells in another way. */
  readonly spelling?: readonly Difference[];
  /** The other routings that want the resource. */
  readonly owners?: readonly string[];
  /** The record that the service lists under the ID of a resource to delete. */
  readonly listed?: Extract<PlannedAction, { action: "delete" }>["listed"];
}

/** An item as JSON output and pages have it. */
export function itemDocument({ resource: _, ...item }: PlanItem): ItemDocument {
  return item;
}
