import type { Address } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { RecordOrigin } from "../state/state.ts";

/** A field that is not as the routing wants it. */
export interface Difference {
  /** Dotted path within the body, for example `metadata.url`. */
  readonly field: string;
  /** Masked where it may be a secret. */
  readonly wanted: unknown;
  readonly found: unknown;
}

/** What is to be done about one address. */
export type PlannedAction =
  /**
   * Known to the state, or said by the routing to exist: nothing to do. `spelling`: what the service
   * spells in another case.
   */
  | {
      readonly action: "in-place";
      readonly id: string;
      readonly spelling?: readonly Difference[];
    }
  | { readonly action: "create" }
  /** The list shows exactly one that is as wanted: it is taken into the state. */
  | { readonly action: "adopt"; readonly id: string }
  /** A create was begun and its outcome is not known: settled first. */
  | { readonly action: "reconcile" }
  /**
   * Exists and differs; the service has no update. Without differences: what is wanted is not what
   * was created, and the service does not show which.
   */
  | {
      readonly action: "conflict";
      readonly id: string;
      readonly differences: readonly Difference[];
    }
  /**
   * The list shows several of its natural key. `unclear`: it shows some that may have its natural
   * key, without the fields that would tell.
   */
  | { readonly action: "ambiguous"; readonly ids: readonly string[]; readonly unclear?: true }
  /**
   * The state knows it, and the list does not show it: somebody has deleted it, or the list is
   * behind. Nobody can tell which, so it is created anew only where that is asked for; `follows`:
   * always, for what it is to connect is not what the one of the state connects.
   */
  | { readonly action: "missing"; readonly id: string; readonly follows?: true }
  /** Made by this state, and no longer named by the routing: deleted with `--prune`, else left. */
  | { readonly action: "prune"; readonly id: string };

/** One line of a plan. */
export type PlanItem = PlannedAction & {
  readonly address: Address;
  readonly kind: ResourceKind;
  /** Absent for what the routing does not name. */
  readonly resource?: Resource;
};

/** A resource that the service has several times. */
export interface Duplicate {
  readonly address: Address;
  readonly ids: readonly string[];
}

/** What applying a routing would do, in the order in which it would be done. */
export interface Plan {
  readonly items: readonly PlanItem[];
  /** Whether the service lists what exists: without lists nothing can be adopted or verified. */
  readonly lists: boolean;
  /** What would be pruned, were it not in use by what this state did not make. */
  readonly kept: readonly Kept[];
  /** What the service has several times, as far as its lists tell. */
  readonly duplicates: readonly Duplicate[];
}

/** A topic or destination that the routing no longer names, and that stays. */
export interface Kept {
  readonly address: Address;
  readonly id: string;
  /** Ids of the routes that use it. */
  readonly routes: readonly string[];
}

/** The status of a resource of a routing. */
export type ResourceStatus =
  | "in-place"
  | "missing"
  | "changed"
  | "duplicated"
  | "unknown"
  | "unmanaged";

/** The status of one resource. */
export interface StatusRow {
  /** Made from the names that the service tells, where neither state nor file name the resource. */
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly status: ResourceStatus;
  readonly id?: string;
  /** All records with its natural key, where there are several. */
  readonly ids?: readonly string[];
  /** How the state came to know it. */
  readonly origin?: RecordOrigin;
  readonly differences?: readonly Difference[];
  /** What the status does not say. */
  readonly note?: string;
}
