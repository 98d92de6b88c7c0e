import { ConflictError } from "../../errors.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import type { Plan, PlanItem } from "./plan.ts";

/**
 * The actions that must be chosen explicitly, because they delete or may create a second record.
 */
export interface PlanChoices {
  /**
   * Whether to delete resources that this state made, that the routing no longer names, and that no
   * other routing wants.
   */
  readonly prune: boolean;
  /** Whether to delete also those of which no owner is known. */
  readonly pruneUnowned: boolean;
  /** Whether to recreate resources that are in the state but no longer listed. */
  readonly recreate: boolean;
}

/** The choices without any of those actions. */
export const NO_CHOICES: PlanChoices = { prune: false, pruneUnowned: false, recreate: false };

/** The choices of a plan, and whether its page lists the other resources of the state. */
export interface ShownChoices extends PlanChoices {
  readonly all?: boolean | undefined;
}

/** The number of resources that applying would delete. */
export function deletions({ items }: Pick<Plan, "items">): number {
  return items.filter(({ action }) => action === "prune").length;
}

/**
 * Whether applying would change something at the service, be refused, or settle an open outcome.
 * Adopting and releasing change only amp's own state.
 */
export function isPending({ items }: Pick<Plan, "items">): boolean {
  return items.some(({ action }) => !STATE_ONLY.has(action));
}

const STATE_ONLY: ReadonlySet<PlanItem["action"]> = new Set(["in-place", "adopt", "release"]);

/** The question before a plan is applied. */
export function consentQuestion(plan: Plan): string {
  return deletions(plan) > 0 ? "Apply these changes?" : "Create these?";
}

type Recreate = Pick<PlanChoices, "recreate">;

/** An item that keeps a plan from being applied. */
export type Blocker = Extract<PlanItem, { action: "conflict" | "ambiguous" | "missing" }>;

/** The remedy for resources that are no longer listed. */
export const MISSING_REMEDY =
  "A resource that is no longer listed was deleted elsewhere, or the list is out of date. If it was deleted, add --recreate.";

/** The items that keep a plan from being applied. */
export function blockersOf({ items }: Pick<Plan, "items">, choices: Recreate): readonly Blocker[] {
  return items.filter((item) => isBlocker(item, choices));
}

/** Whether an item keeps a plan from being applied. */
export function isBlocker(item: PlanItem, { recreate }: Recreate): item is Blocker {
  if (item.action === "missing") return !recreate && item.follows !== true;
  return item.action === "conflict" || item.action === "ambiguous";
}

/**
 * Checks that a plan can be applied.
 * @throws {ConflictError} naming every conflict, with IDs and remedies
 */
export function assertApplicable(plan: Plan, choices: Recreate): void {
  const error = blockedError(plan, choices);
  if (error === undefined) return;
  throw error.addFacts({ detail: blockersOf(plan, choices).map(blockerText).join("\n") });
}

/** The error of a plan that cannot be applied, for a reader who sees the plan itself. */
export function blockedError(
  plan: Pick<Plan, "items">,
  choices: Recreate,
): ConflictError | undefined {
  const blockers = blockersOf(plan, choices);
  const [first] = blockers;
  if (first === undefined) return undefined;
  const several = blockers.length > 1;
  return new ConflictError(
    several ? `${blockers.length} conflicts` : `Conflict: ${first.address}`,
    {
      remedy: [...new Set(blockers.map(remedyOf))].join(" "),
      done: "Nothing was created.",
      suggestion: blockers.flatMap(commandsFor),
      data: { obstacles: blockers.map(({ resource: _, ...rest }) => rest) },
    },
  );
}

const BLOCKER_REMEDIES: Readonly<Record<Blocker["action"], string>> = {
  conflict:
    "Existing resources cannot be updated. Rename it in the file, reference it by ID, or delete it first.",
  ambiguous: "Delete all but one at the service, or import the ID of the right one.",
  missing: MISSING_REMEDY,
};

/** Whether a routing names an existing resource by an ID that the service does not list. */
export function isUnknownId(item: PlanItem): boolean {
  const [difference, more] = item.action === "conflict" ? item.differences : [];
  return difference?.field === "id" && difference.found === undefined && more === undefined;
}

function remedyOf(item: Blocker): string {
  if (isUnknownId(item)) return "Correct the ID in the file, or check which project it belongs to.";
  return item.action === "ambiguous" && item.unclear
    ? "Check at the service which of them it is, and import that ID."
    : BLOCKER_REMEDIES[item.action];
}

/** The commands that settle a blocker where only the state has to change. */
function commandsFor(item: Blocker): SuggestedCommand[] {
  if (item.action === "ambiguous") {
    return item.ids.map((id) => suggest("notify import", [item.address, id]));
  }
  return item.action === "missing" ? [suggest("notify forget", [item.address])] : [];
}

function blockerText(item: Blocker): string {
  if (item.action === "ambiguous") {
    if (item.unclear) {
      return `${item.address} may be one of these; the list does not show which: ${item.ids.join(", ")}`;
    }
    return `${item.address} exists ${item.ids.length} times: ${item.ids.join(", ")}`;
  }
  if (item.action === "missing") {
    return `${item.address} was ${item.id} and is no longer listed`;
  }
  if (isUnknownId(item))
    return `${item.address}: the service does not list ${item.kind} ${item.id}`;
  const how = item.differences.map(
    ({ field, wanted, found }) =>
      `${field}: wanted ${shownValue(wanted)}, found ${shownValue(found)}`,
  );
  const unseen = "it differs in something that the service does not return, possibly a secret";
  const lines = how.length > 0 ? how : [unseen];
  return [`${item.address} exists as ${item.id} with different settings:`, ...lines].join("\n  ");
}

/** A value of a difference as JSON. */
export function shownValue(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
