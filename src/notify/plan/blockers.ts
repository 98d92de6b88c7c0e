import { ConflictError, type ErrorFacts, PartialError } from "../../errors.ts";
import { asList } from "../../values/as-list.ts";
import { counted } from "../../values/counted.ts";
import type { Address } from "../model/address.ts";
import { dependenciesOf } from "../model/routing.ts";
import { blockerText, commandsFor, isOfChange, remedyOf } from "./conflict-text.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { type ItemDocument, itemDocument } from "./vocabulary.ts";

/** The items that keep a plan from being applied. */
export function blockersOf({ items }: Pick<Plan, "items">): readonly ItemDocument[] {
  return items.map(itemDocument).filter(isBlocker);
}

/** Whether an item keeps a plan from being applied as a whole. */
export function isBlocker({ action, reason }: ItemDocument): boolean {
  return action === "conflict" && reason !== "depends_on_conflict";
}

/**
 * Checks that a plan can be applied.
 * @throws {ConflictError} naming every conflict, with IDs and remedies
 */
export function assertApplicable(plan: Plan): void {
  const blockers = blockersOf(plan);
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
export function applicablePart(plan: Plan): ApplicablePart {
  const conflicts = blockersOf(plan);
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
