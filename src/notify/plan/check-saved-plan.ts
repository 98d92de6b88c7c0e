import { isDeepStrictEqual } from "node:util";
import { ConflictError } from "../../errors.ts";
import { describeTarget } from "../state/state.ts";
import type { PlanChoices } from "./blockers.ts";
import type { Plan } from "./plan.ts";
import { itemsOf, modelFingerprint, type PlanBasis, type ReadPlan, stateOf } from "./saved-plan.ts";

const CHOICE_FLAGS: Readonly<Record<Exclude<keyof PlanChoices, "replace">, string>> = {
  prune: "--prune",
  pruneUnowned: "--prune-unowned",
  recreate: "--recreate",
  adoptChanges: "--adopt-changes",
  changeShared: "--change-shared",
};

/**
 * Checks that a saved plan and its basis are unchanged.
 * @throws {ConflictError} naming what changed since
 */
export function checkSavedPlan(
  saved: ReadPlan,
  { model, state, target, choices, location }: PlanBasis,
): void {
  if (saved.isEdited) throw outdatedError(saved, "it was edited");
  const lineage = saved.state?.lineage;
  const isOther = lineage !== undefined && lineage !== stateOf(state)?.lineage;
  const moved = [
    isDeepStrictEqual(saved.target, target)
      ? undefined
      : `it is for ${describeTarget(saved.target)}`,
    isOther || isDeepStrictEqual(saved.state, stateOf(state))
      ? undefined
      : "the state has changed since",
    modelFingerprint(model, saved.model.salt) === saved.model.fingerprint
      ? undefined
      : `${saved.isAlone ? "a variable that it reads" : "the routing file"} has changed since`,
    saved.name === (model.name ?? null)
      ? undefined
      : `it is for ${saved.name === null ? "a routing without a name" : `the routing ${saved.name}`}`,
    ...Object.entries(CHOICE_FLAGS).map(([name, flag]) => {
      const choice = name as keyof typeof CHOICE_FLAGS;
      const how = saved[choice] ? "with" : "without";
      return choices[choice] === saved[choice] ? undefined : `it was made ${how} ${flag}`;
    }),
    isDeepStrictEqual(saved.replace, [...choices.replace])
      ? undefined
      : `it replaces ${saved.replace.join(", ") || "nothing"}`,
  ].filter((reason) => reason !== undefined);
  if (isOther && isDeepStrictEqual(saved.target, target)) throw otherStateError(state, location);
  if (moved.length > 0) throw outdatedError(saved, moved.join("; "));
}

/**
 * Checks that a new plan equals the saved one: the service's resources may have changed meanwhile.
 * @throws {ConflictError} naming the actions that differ
 */
export function checkPlanned(saved: ReadPlan, plan: Plan): void {
  const before = new Map(saved.items.map((one) => [one.address, JSON.stringify(one)]));
  const now = new Map(itemsOf(plan).map((one) => [one.address, JSON.stringify(one)]));
  const other = [...new Set([...before.keys(), ...now.keys()])].filter(
    (address) => before.get(address) !== now.get(address),
  );
  if (other.length > 0)
    throw outdatedError(saved, `existing resources have changed since: ${other.join(", ")}`);
}

function outdatedError({ again }: ReadPlan, why: string): ConflictError {
  return new ConflictError(`The plan cannot be applied: ${why}`, {
    remedy: "Make a new plan and review it.",
    suggestion: again,
    done: "Nothing was sent.",
  });
}

/** A new plan is not suggested: against a state that is not the routing's it would create everything. */
function otherStateError(state: PlanBasis["state"], location: string): ConflictError {
  const why = stateOf(state) === null ? `, and there is none at ${location}` : ` than ${location}`;
  return new ConflictError(`The plan cannot be applied: it was made with another state${why}`, {
    remedy: "Pass the state that the plan was made with, with --state.",
    done: "Nothing was sent.",
  });
}
