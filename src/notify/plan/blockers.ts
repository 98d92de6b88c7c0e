import { ConflictError, type ErrorFacts, PartialError } from "../../errors.ts";
import { asList } from "../../values/as-list.ts";
import { counted } from "../../values/counted.ts";
import type { Address } from "../model/address.ts";
import { dependenciesOf } from "../model/routing.ts";
import { blockerText, commandsFor, isOfChange, remedyOf } from "./conflict-text.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { type ItemDocument, itemDocument } from "./vocabulary.ts";

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
  /** Whether to change existing resources that are not in the state, and differ. */
  readonly adoptChanges: boolean;
  /** Whether to change resources that other routings want too. */
  readonly changeShared: boolean;
  /** The resources to create anew, and to delete afterwards. */
  readonly replace: readonly Address[];
}

/** The choices of a run. */
export interface RunChoices extends PlanChoices {
  /** Exactly these are deleted, whatever their owners are, and nothing else: for an undo. */
  readonly remove?: ReadonlySet<Address> | undefined;
}

/** The project that a plan is for. */
export interface PlanTarget {
  readonly project: string;
  readonly baseUrl: string;
  /** The option, variable, profile or file that chose the project. */
  readonly projectFrom: string;
}

/** The choices without any of those actions. */
export const NO_CHOICES: PlanChoices = {
  prune: false,
  pruneUnowned: false,
  recreate: false,
  adoptChanges: false,
  changeShared: false,
  replace: [],
};

/** The choices of a plan, and what else its page shows. */
export interface ShownChoices extends PlanChoices {
  /** What it is a plan for; absent where a command names that before it writes. */
  readonly target?: PlanTarget;
  /** Whether the other resources of the state are listed. */
  readonly all?: boolean | undefined;
  /** Whether applying leaves out its conflicts. */
  readonly keepGoing?: boolean;
}

/** The number of resources that applying would delete. */
export function deletions({ items }: Pick<Plan, "items">): number {
  return items.filter(({ action }) => action === "prune" || action === "replace").length;
}

/**
 * Whether applying would change something at the service, be refused, or resolve an open outcome.
 * Adopting and releasing change only amp's own state.
 */
export function needsApply({ items }: Pick<Plan, "items">): boolean {
  return items.some(({ action }) => !STATE_ONLY.has(action));
}

const STATE_ONLY: ReadonlySet<PlanItem["action"]> = new Set(["in-place", "adopt", "release"]);

/** The question before a plan is applied. */
export function consentQuestion(plan: Plan): string {
  const isMore =
    deletions(plan) > 0 ||
    plan.items.some((item) => item.action === "update" || "isUpdate" in item);
  return isMore ? "Apply these changes?" : "Create these?";
}

type Recreate = Pick<PlanChoices, "recreate">;

/** The items that keep a plan from being applied. */
export function blockersOf(
  { items }: Pick<Plan, "items">,
  choices: Recreate,
): readonly ItemDocument[] {
  return items.map((item) => itemDocument(item, choices)).filter(isBlocker);
}

/** Whether an item keeps a plan from being applied as a whole. */
export function isBlocker({ action, reason }: ItemDocument): boolean {
  return action === "conflict" && reason !== "depends_on_conflict";
}

/**
 * Checks that a plan can be applied.
 * @throws {ConflictError} naming every conflict, with IDs and remedies
 */
export function assertApplicable(plan: Plan, choices: Recreate): void {
  const blockers = blockersOf(plan, choices);
  const error = blockedError(blockers);
  if (error === undefined) return;
  throw error.setFacts({ detail: blockers.map(blockerText).join("\n") });
}

/** The part of a plan that a run that keeps going leaves out. */
export interface LeftOut {
  readonly conflicts: readonly ItemDocument[];
  /** The resources that depend on one in conflict. */
  readonly skipped: readonly Address[];
}

/** The part of a plan that can be applied, and what keeps the rest from it. */
export interface ApplicablePart extends LeftOut {
  readonly plan: Plan;
}

/** Takes out of a plan what is in conflict, and what depends on it. */
export function applicablePart(plan: Plan, choices: Recreate): ApplicablePart {
  const conflicts = blockersOf(plan, choices);
  if (conflicts.length === 0) return { plan, conflicts, skipped: [] };
  const blocked = new Set(conflicts.map(({ address }) => address));
  const dependsOnOne = ({ resource }: PlanItem) =>
    resource !== undefined && dependenciesOf(resource).some((one) => blocked.has(one));
  const left = plan.items.filter(({ address }) => !blocked.has(address));
  const skipped = left.filter(dependsOnOne).map(({ address }) => address);
  const items = left.filter((item) => !dependsOnOne(item));
  return { plan: { ...plan, items }, conflicts, skipped };
}

/**
 * The error of a plan of which only a part could be applied.
 * @param sent false: it was only shown
 */
export function partlyAppliedError(
  conflicts: readonly ItemDocument[],
  skipped: readonly Address[],
  sent = true,
): PartialError | undefined {
  const facts = blockedError(conflicts)?.facts;
  if (facts === undefined) return undefined;
  return new PartialError(exceptForText(conflicts, sent), {
    ...facts,
    done: sent ? "Everything that does not depend on a conflict is in place." : "Nothing was sent.",
    detail: leftOutText({ conflicts, skipped }),
    data: { ...facts.data, notTried: skipped },
  });
}

/** The headline of an apply without its conflicts, for its error and its page. */
export function exceptForText({ length }: readonly unknown[], sent = true): string {
  const count = counted(length, "conflict");
  return sent ? `Applied, except for ${count}` : `It would leave out ${count}`;
}

/** Adds to the facts of a run that ended early what it left out from the start. */
export function addLeftOut(facts: ErrorFacts, { conflicts, skipped }: LeftOut): ErrorFacts {
  const blocked = blockedError(conflicts)?.facts;
  if (blocked === undefined) return facts;
  const { notTried = [] } = facts.data ?? {};
  return {
    ...facts,
    detail: asList(facts.detail, leftOutText({ conflicts, skipped })).join("\n"),
    remedy: asList(facts.remedy, blocked.remedy).join(" "),
    suggestion: asList(facts.suggestion, blocked.suggestion),
    data: { ...facts.data, ...blocked.data, notTried: asList(notTried, skipped) },
  };
}

function leftOutText({ conflicts, skipped }: LeftOut): string {
  const waiting =
    skipped.length === 0
      ? ""
      : `\nNot tried, because they depend on it:\n  ${skipped.join("\n  ")}`;
  return conflicts.map(blockerText).join("\n") + waiting;
}

/** The error of a plan that cannot be applied, for a reader who sees the plan itself. */
export function blockedError(items: readonly ItemDocument[]): ConflictError | undefined {
  const blockers = items.filter(isBlocker);
  const [first] = blockers;
  if (first === undefined) return undefined;
  const several = blockers.length > 1;
  return new ConflictError(
    several ? `${blockers.length} conflicts` : `Conflict: ${first.address}`,
    {
      remedy: [...new Set(blockers.map(remedyOf))].join(" "),
      done: blockers.some(isOfChange) ? "Nothing was changed." : "Nothing was created.",
      // Many have the same.
      suggestion: [...new Set(blockers.flatMap(commandsFor))],
      data: { conflicts: blockers },
    },
  );
}
