import type { ItemDocument, PlanDocument } from "../../documents/routing.ts";
import type { Address } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { Place } from "../state/change.ts";
import type { ActTime, StateEntry } from "../state/state.ts";
import type { PlanChoices } from "./table.ts";
import type { ConflictReason } from "./vocabulary.ts";

/** An action with those fields of its JSON that it has, and those that it may have. */
type Planned<
  Action extends ItemDocument["action"],
  Needs extends keyof ItemDocument = never,
  May extends keyof ItemDocument = never,
> = { readonly action: Action } & Required<Pick<ItemDocument, Needs>> & Pick<ItemDocument, May>;

/** The planned action for one address: its fields are those of {@link ItemDocument}. */
export type PlannedAction =
  | Planned<"in_place", "id", "notKept">
  | (Planned<"create", never, "previousId"> & { readonly reason?: "gone" | "follows" })
  | Planned<"adopt", "id">
  | Planned<
      "update",
      "id" | "fields" | "differences",
      "renamedFrom" | "keptFields" | "adopts" | "owners" | "notKept"
    >
  /** Without an ID: of a create. */
  | (Planned<"unknown", never, "id"> & { readonly reason?: "id_unknown" })
  | (Planned<"conflict", never, "id" | "ids" | "differences" | "owners" | "elsewhere" | "uses"> & {
      readonly reason: ConflictReason;
    })
  /** With the place of its entry. */
  | (Planned<"delete", "id", "listed"> & { readonly place: Place })
  /** Its owners: the file that owns it from now on; absent: none does. */
  | Planned<"release", "id", "owners">;

/** An address with its planned action. */
export type PlanItem = PlannedAction & {
  readonly address: Address;
  readonly kind: ResourceKind;
  /** The resource; absent if the routing does not name it. */
  readonly resource?: Resource;
};

/** The actions of applying a routing, in order; the rest is as in its JSON. */
export interface Plan
  extends Pick<
    PlanDocument,
    "kept" | "others" | "removedFromFile" | "duplicates" | "unmanaged" | "renamed" | "lists"
  > {
  readonly items: readonly PlanItem[];
  /** The choices that it was made with. */
  readonly choices: PlanChoices;
  /** The changes of the state that are saved before anything is sent. */
  readonly changes: readonly StateEntry[];
  /** The resources of which the list is behind what amp did: it must be read again. */
  readonly waiting: readonly WaitingResource[];
  /** Warnings of new names that existing ones resemble, and of earlier names that nothing has. */
  readonly nameWarnings?: readonly string[];
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
  return items.some(itemNeedsApply);
}

/** Whether applying an item would do more than change amp's own state. */
export function itemNeedsApply({ action }: Pick<PlanItem, "action">): boolean {
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
