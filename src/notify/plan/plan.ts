import type { Address } from "../model/address.ts";
import type { LiveRecord, ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { RecordOrigin } from "../state/state.ts";
import type { PlanChoices } from "./choices.ts";

/** A field that differs from the routing. */
export interface Difference {
  /** The dotted path within the body, for example `metadata.url`. */
  readonly field: string;
  /** The value in the routing, masked where it may be a secret. */
  readonly wanted: unknown;
  readonly found: unknown;
}

/** The planned action for one address, in the words of {@link ACTIONS} and {@link REASONS}. */
export type PlannedAction =
  /** `spelling`: the fields that the service spells in another case, or with other blanks around them. */
  | {
      readonly action: "in_place";
      readonly id: string;
      readonly spelling?: readonly Difference[];
    }
  | { readonly action: "create" }
  /** It is in the state with the ID `previousId`, and exists there no more. */
  | {
      readonly action: "create";
      readonly reason: "not_listed" | "follows";
      readonly previousId: string;
    }
  | {
      readonly action: "adopt";
      readonly id: string;
      readonly renamedFrom?: Address;
      readonly keptFields?: readonly string[];
    }
  | PlannedUpdate
  /** A create was begun; its outcome is settled first. */
  | ({ readonly action: "unknown"; readonly reason?: "id_unknown" } & SharedRecord)
  /** An update of this record was begun. */
  | ({ readonly action: "unknown"; readonly id: string } & SharedRecord)
  /** Without differences, the routing changed since the write, in a field that the service does not show. */
  | ({
      readonly action: "conflict";
      readonly reason: DifferenceReason;
      readonly id: string;
      readonly differences: readonly Difference[];
    } & SharedRecord)
  /** Several listed records have, or may have, the natural key. */
  | {
      readonly action: "conflict";
      readonly reason: "ambiguous" | "unclear";
      readonly ids: readonly string[];
    }
  /** It was deleted elsewhere, or the list is out of date: it is created again only on request. */
  | { readonly action: "conflict"; readonly reason: "not_listed"; readonly id: string }
  /** `listed`: what the service lists under the ID; absent if it lists nothing there. */
  | {
      readonly action: "delete";
      readonly id: string;
      readonly listed?: Pick<LiveRecord, "name" | "type">;
    }
  /** The routing is no longer its owner; other routings want it, or the state did not make it. */
  | { readonly action: "release"; readonly id: string; readonly owners: readonly string[] };

/** Why a record that differs is in conflict. */
type DifferenceReason =
  | "differs"
  | "not_managed"
  | "cannot_change"
  | "shared"
  | "both_exist"
  | "declared_twice"
  | "not_found";

/** The change of a record in place. */
export interface PlannedUpdate extends SharedRecord {
  readonly action: "update";
  readonly reason?: "not_kept";
  readonly id: string;
  /** The paths of the fields that are sent, such as `name` or `metadata.url`. */
  readonly fields: readonly string[];
  /** The old and new values; `found` is undefined where the service has no lists. */
  readonly differences: readonly Difference[];
  /** The address of the record before its new name. */
  readonly renamedFrom?: Address;
  /** The fields that the routing named before and does not name any more: they stay as they are. */
  readonly keptFields?: readonly string[];
  /** Whether the state does not have the record yet. */
  readonly adopts?: true;
}

/** The other routings that want a resource. */
interface SharedRecord {
  readonly owners?: readonly string[];
}

/** An address with its planned action. */
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
  /** The choices that it was made with. */
  readonly choices: PlanChoices;
  /** Whether the service lists what exists: without lists nothing can be adopted or verified. */
  readonly hasLists: boolean;
  /** The resources that are not pruned because other routes use them. */
  readonly kept: readonly KeptResource[];
  /** The resources of the state that this routing has nothing to do with. */
  readonly others: readonly OtherResource[];
  /** The resources that only this routing wanted, and no longer contains: they still exist. */
  readonly removedFromFile: readonly RemovedResource[];
  /** The duplicates at the service, as far as its lists show them. */
  readonly duplicates: readonly Duplicate[];
  /** Warnings of new names that existing ones resemble; absent if there are none. */
  readonly alike?: readonly string[];
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
interface OtherResource extends FoundResource {
  /** The names of the routings that want it; empty if none is known. */
  readonly owners: readonly string[];
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

/** The number of resources that applying would delete. */
export function deletions({ items }: Pick<Plan, "items">): number {
  return items.filter(({ action }) => action === "delete").length;
}

/**
 * Whether applying would change something at the service, be refused, or resolve an open outcome.
 * Adopting and releasing change only amp's own state.
 */
export function needsApply({ items }: Pick<Plan, "items">): boolean {
  return items.some(isPending);
}

/** Whether applying an item would do more than change amp's own state. */
export function isPending({ action }: Pick<PlanItem, "action">): boolean {
  return action !== "in_place" && action !== "adopt" && action !== "release";
}

/** The question before a plan is applied. */
export function consentQuestion(plan: Plan): string {
  const isMore =
    deletions(plan) > 0 ||
    plan.items.some(
      (item) => item.action === "update" || (item.action === "unknown" && !isOpenCreate(item)),
    );
  return isMore ? "Apply these changes?" : "Create these?";
}

/** Whether the outcome of a create is unknown; an update, whose ID is known, is sent again. */
export function isOpenCreate({ action, id }: { readonly action: string; readonly id?: string }) {
  return action === "unknown" && id === undefined;
}

/** The IDs of an item's records that exist. */
export function recordIds(item: PlanItem): readonly string[] {
  if ("ids" in item) return item.ids;
  return "id" in item && lostId(item) === undefined ? [item.id] : [];
}

/** The ID that the state has for a resource that is no longer listed. */
export function lostId(item: PlanItem): string | undefined {
  if ("previousId" in item) return item.previousId;
  return item.action === "conflict" && item.reason === "not_listed" ? item.id : undefined;
}
