import type {
  Difference,
  Duplicate,
  FoundResource,
  ItemDocument,
  KeptResource,
  OtherResource,
  RemovedResource,
} from "../../documents/routing.ts";
import type { Address } from "../model/address.ts";
import type { LiveRecord, ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { Place } from "../state/change.ts";
import type { ActTime, StateEntry } from "../state/state.ts";
import type { PlanChoices } from "./choices.ts";
import type { ConflictReason } from "./vocabulary.ts";

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
  /** The fields that the service was sent before, and shows otherwise. */
  readonly notKept?: readonly Difference[];
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
  /** Warnings of new names that existing ones resemble, and of earlier names that nothing has. */
  readonly nameWarnings?: readonly string[];
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

/** An item as JSON output and pages have it. */
export function itemDocument({ resource: _, ...item }: PlanItem): ItemDocument {
  if (item.action !== "delete") return item;
  const { place: __, ...rest } = item;
  return rest;
}
