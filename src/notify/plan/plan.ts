import type { Address } from "../model/address.ts";
import type { LiveRecord, ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { RecordOrigin } from "../state/state.ts";

/** A field that differs from the routing. */
export interface Difference {
  /** The dotted path within the body, for example `metadata.url`. */
  readonly field: string;
  /** The value in the routing, masked where it may be a secret. */
  readonly wanted: unknown;
  readonly found: unknown;
}

/**
 * Why a record that differs is in conflict. `not_managed`: it is not in the state; `cannot_change`: it
 * differs in a field that no update can change; `shared`: other routings want it as it is;
 * `both_exist`: the routing renames a resource, and both names exist; `in_use`: it is to be
 * replaced, and other routes use it; `declared_twice`: another address of the routing, in `found`, has
 * the record, and `depends_on_conflict`: so it has that of a route of the resource.
 */
type ConflictReason =
  | "not_managed"
  | "cannot_change"
  | "shared"
  | "both_exist"
  | "in_use"
  | "declared_twice"
  | "depends_on_conflict";

/** The other routings that want the resource. */
interface SharedRecord {
  readonly owners?: readonly string[];
}

/** The fields that the routing named before and does not name any more: they stay as they are. */
interface KeptFields {
  readonly keptFields?: readonly string[];
}

/** The change of a record in place. */
export interface PlannedUpdate extends KeptFields, SharedRecord {
  readonly action: "update";
  readonly id: string;
  /** The paths of the fields that are sent, such as `name` or `metadata.url`. */
  readonly fields: readonly string[];
  /** The old and new values; `found` is undefined where the service has no lists. */
  readonly differences: readonly Difference[];
  /** Whether the service was sent these values before, and never listed them since. */
  readonly isUnkept?: true;
  /** The address of the record before a new name. */
  readonly from?: Address;
  /** Whether the state does not have the record yet. */
  readonly adopts?: true;
}

/** The action for one address. */
export type PlannedAction =
  /**
   * The resource exists as wanted: nothing to do. `spelling`: the fields that the service spells
   * in another case, or with other blanks around them.
   */
  | {
      readonly action: "in-place";
      readonly id: string;
      readonly spelling?: readonly Difference[];
    }
  | { readonly action: "create" }
  /**
   * Exactly one listed record matches: it is added to the state. `from`: the state has it at another
   * address, from which it moves.
   */
  | ({ readonly action: "adopt"; readonly id: string; readonly from?: Address } & KeptFields &
      SharedRecord)
  /** The record differs in fields that the service can change, and is changed in place. */
  | PlannedUpdate
  /** The record is deleted once another one, and its routes, have been created in its place. */
  | {
      readonly action: "replace";
      readonly id: string;
      readonly differences: readonly Difference[];
    }
  /**
   * A write was begun and its outcome is not known: it is settled first. `isCreated`: the
   * service said that it created the resource, and not its ID. The owners are of a write that the
   * routing does not name.
   */
  | ({ readonly action: "reconcile"; readonly isCreated?: true } & SharedRecord)
  | ({ readonly action: "reconcile"; readonly isUpdate: true; readonly id: string } & SharedRecord)
  /**
   * The record exists and differs, and may not or cannot be changed in place. Without differences,
   * the routing changed since the write, in a field that the service does not show.
   */
  | ({
      readonly action: "conflict";
      readonly id: string;
      readonly differences: readonly Difference[];
      readonly reason?: ConflictReason;
    } & SharedRecord)
  /**
   * Several listed records have the natural key. `unclear`: the list omits fields, so that it is
   * not known which records have it.
   */
  | { readonly action: "ambiguous"; readonly ids: readonly string[]; readonly unclear?: true }
  /**
   * The resource is in the state and not listed: it was deleted elsewhere, or the list is out of
   * date. It is created again only on request; with `follows` always, because it connects a
   * resource that is created again.
   */
  | { readonly action: "missing"; readonly id: string; readonly follows?: true }
  /**
   * The state made the resource, and no routing names it any more: it is deleted. `listed`: what the
   * service lists under the ID; absent if it lists nothing there.
   */
  | {
      readonly action: "prune";
      readonly id: string;
      readonly listed?: Pick<LiveRecord, "name" | "type">;
    }
  /**
   * The routing no longer names the resource, and is no longer its owner. It stays: other routings,
   * the `owners`, want it, or the state did not make it.
   */
  | { readonly action: "release"; readonly id: string; readonly owners: readonly string[] };

/** The planned action for one address. */
export type PlanItem = PlannedAction & {
  readonly address: Address;
  readonly kind: ResourceKind;
  /** The resource; absent if the routing does not name it. */
  readonly resource?: Resource;
};

/** A resource that the service has several times. */
export interface Duplicate {
  readonly address: Address;
  readonly ids: readonly string[];
}

/** The actions of applying a routing, in order. */
export interface Plan {
  readonly items: readonly PlanItem[];
  /** Whether the service lists what exists: without lists nothing can be adopted or verified. */
  readonly hasLists: boolean;
  /** The resources that are not pruned because other routes use them. */
  readonly kept: readonly KeptResource[];
  /** The resources of the state that this routing has nothing to do with. */
  readonly others: readonly OtherResource[];
  /** The resources that only this routing wanted, and no longer contains: they still exist. */
  readonly removedFromFile: readonly RemovedResource[];
  /** The paths of other files that were applied under the name of the routing; absent: none. */
  readonly otherFiles?: readonly string[];
  /** The duplicates at the service, as far as its lists show them. */
  readonly duplicates: readonly Duplicate[];
  /** The resources whose `renamed-from` has nothing to rename any more. */
  readonly needlessRenames: readonly Address[];
  /** The routes at its topics that neither the routing nor the state has. */
  readonly unmanaged: readonly FoundResource[];
}

/** A resource that exists. */
export interface FoundResource {
  readonly address: Address;
  readonly id: string;
}

/** A resource of the state that neither the routing nor its plan names. */
export interface OtherResource extends FoundResource {
  /** The names of the routings that want it; empty if none is known. */
  readonly owners: readonly string[];
  /** The resource in whose place it was, if a run that replaced it did not come to its end. */
  readonly replacedBy?: Address;
}

/** A resource that exists although its routing no longer contains it, because nothing is pruned. */
export interface RemovedResource extends FoundResource {
  readonly origin: RecordOrigin;
}

/** A resource that the routing no longer names, and that stays. */
export interface KeptResource extends FoundResource {
  /** The IDs of the routes that use it. */
  readonly routes: readonly string[];
  /** The fields that the service lists otherwise: the ID may be that of another resource. */
  readonly differences?: readonly Difference[];
}

/** The status of a resource of a routing. */
export type ResourceStatus =
  | "in_place"
  | "missing"
  | "changed"
  | "duplicated"
  | "unknown"
  | "unmanaged";

/** The status of one resource. */
export interface StatusRow {
  /** The address; made from the service's names if neither state nor file names the resource. */
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly status: ResourceStatus;
  readonly id?: string;
  /** The IDs of all records with the natural key, where there are several. */
  readonly ids?: readonly string[];
  /** The way in which the state came to have the resource. */
  readonly origin?: RecordOrigin;
  readonly differences?: readonly Difference[];
  /** A remark about the status. */
  readonly note?: string;
}

/** A status before it is shown. */
export interface FoundStatus extends StatusRow {
  /** Whether it is a route that somebody added to a topic that amp manages. */
  readonly isAddedRoute?: true;
}
