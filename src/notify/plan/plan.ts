import type { Address } from "../model/address.ts";
import type { LiveRecord, ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { Place } from "../state/change.ts";
import type { ActTime, Entry, StateEntry } from "../state/state.ts";
import type { PlanChoices } from "./choices.ts";
import type { ActionWord, ConflictReason, KeepReason, ReasonWord } from "./vocabulary.ts";

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
  | {
      readonly action: "in_place";
      readonly id: string;
      /** The fields that the service was sent, and shows otherwise. */
      readonly notKept?: readonly Difference[];
    }
  | {
      readonly action: "create";
      /** `gone`: it does not exist any more. `follows`: what it connects is created again. */
      readonly reason?: "gone" | "follows";
      /** The ID that the state had at the address. */
      readonly previousId?: string;
    }
  | { readonly action: "adopt"; readonly id: string }
  | PlannedUpdate
  /** A write was begun; its outcome is settled first. */
  | {
      readonly action: "unknown";
      readonly reason?: "id_unknown";
      /** Absent for a create. */
      readonly id?: string;
    }
  | PlannedConflict
  | PlannedDelete
  /** It stays at the service, and is no longer of this file. */
  | {
      readonly action: "release";
      readonly id: string;
      /** The file that owns it from now on; absent: none does. */
      readonly owners?: readonly string[];
    };

/** What prevents a plan from being applied. */
interface PlannedConflict {
  readonly action: "conflict";
  readonly reason: ConflictReason;
  readonly id?: string;
  /** The IDs that match, where there are several. */
  readonly ids?: readonly string[];
  readonly differences?: readonly Difference[];
  /** The file that owns it. */
  readonly owners?: readonly string[];
  /** The other address with its ID. */
  readonly elsewhere?: Address;
  /** What names it, in lines of text. */
  readonly uses?: readonly string[];
}

/** The change of a record in place. */
interface PlannedUpdate {
  readonly action: "update";
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
  /** The other files that declare it. */
  readonly owners?: readonly string[];
}

interface PlannedDelete {
  readonly action: "delete";
  readonly id: string;
  /** What the service lists under the ID; absent if it lists nothing there. */
  readonly listed?: Pick<LiveRecord, "name" | "type">;
  /** Where the state has it. */
  readonly place: Place;
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
  /** The changes of the state that are saved before anything is sent. */
  readonly changes: readonly StateEntry[];
  /** The resources of which the list is behind what amp did: it must be read again. */
  readonly waiting: readonly WaitingResource[];
  /** The resources that are not pruned, and why. */
  readonly kept: readonly KeptResource[];
  /** The resources of the state that this routing has nothing to do with. */
  readonly others: readonly OtherResource[];
  /** The resources of this file that it no longer declares, and that still exist: nothing is pruned. */
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

/** A resource of which the list shows something else than amp did last. */
interface WaitingResource {
  readonly address: Address;
  /** What is waited for. */
  readonly for: ActTime;
  /** What the act was on: the name of a place, or the kind and ID of a mark. */
  readonly at: string;
}

/** A resource that exists. */
export interface FoundResource {
  readonly address: Address;
  readonly id: string;
}

/** A resource of the state that neither the routing nor its plan names. */
interface OtherResource extends FoundResource {
  /** The names of the files that declare it; empty if none is known. */
  readonly owners: readonly string[];
}

/** A resource that exists although its routing no longer contains it, because nothing is pruned. */
export interface RemovedResource extends FoundResource {
  readonly made: Entry["made"];
  /** The other files that declare it: a prune hands it over. */
  readonly alsoIn?: readonly string[];
}

/** A resource that the routing no longer names, and that stays although it is pruned. */
export interface KeptResource extends FoundResource {
  readonly reason: KeepReason;
  /** The IDs of the routes that use it. */
  readonly routes: readonly string[];
  /** The name under which the service lists its ID. */
  readonly listedName?: string;
}

/** The number of resources that applying would delete. */
export function deletions({ items }: Pick<Plan, "items">): number {
  return items.filter(({ action }) => action === "delete").length;
}

/** Whether applying an item changes the service. */
export function isChange({ action }: Pick<PlanItem, "action">): boolean {
  return action === "create" || action === "update" || action === "delete";
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

/** Whether the outcome of a create is unknown. */
export function isOpenCreate({ action, id }: { readonly action: string; readonly id?: string }) {
  return action === "unknown" && id === undefined;
}

/** The IDs of an item's records that exist. */
export function recordIds(item: PlanItem): readonly string[] {
  if ("ids" in item && item.ids !== undefined) return item.ids;
  const isGone =
    item.action === "conflict" && (item.reason === "gone" || item.reason === "not_found");
  return "id" in item && item.id !== undefined && !isGone ? [item.id] : [];
}

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
  /** The ID that the state had for a resource that is created again. */
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
  /** The fields that the service was sent, and shows otherwise. */
  readonly notKept?: readonly Difference[];
  /** The other files that declare the resource; of a release the one that owns it from now on. */
  readonly owners?: readonly string[];
  /** The other address with the ID of a conflict. */
  readonly elsewhere?: Address;
  /** What names the resource of a conflict, in lines of text. */
  readonly uses?: readonly string[];
  /** The record that the service lists under the ID of a resource to delete. */
  readonly listed?: PlannedDelete["listed"];
}

/** An item as JSON output and pages have it. */
export function itemDocument({ resource: _, ...item }: PlanItem): ItemDocument {
  if (item.action !== "delete") return item;
  const { place: __, ...rest } = item;
  return rest;
}
