import { ConflictError } from "../../errors.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import type { Plan, PlanItem } from "./plan.ts";

/** What somebody has to ask for: it deletes, or may make a second one. */
export interface PlanChoices {
  /** Deletes what this state made and the routing no longer names. */
  readonly prune: boolean;
  /** Creates again what the state knows and the service does not list any more. */
  readonly recreate: boolean;
}

/** Nothing was asked for. */
export const NO_CHOICES: PlanChoices = { prune: false, recreate: false };

/** What keeps a plan from being carried out. */
export type Blocker = Extract<PlanItem, { action: "conflict" | "ambiguous" | "missing" }>;

/** What to do about what is not listed any more. */
export const MISSING_REMEDY =
  "What is not listed any more was deleted by somebody, or the list is behind and will show it again. Where it was deleted, --recreate creates it again.";

/** What is in the way of a plan. */
export function blockersOf(
  { items }: Pick<Plan, "items">,
  choices: Pick<PlanChoices, "recreate">,
): readonly Blocker[] {
  return items.filter((item) => isBlocker(item, choices));
}

/** Whether somebody has to decide about it first. */
export function isBlocker(
  item: PlanItem,
  { recreate }: Pick<PlanChoices, "recreate">,
): item is Blocker {
  if (item.action === "missing") return !recreate && item.follows !== true;
  return item.action === "conflict" || item.action === "ambiguous";
}

/**
 * Lets a plan pass that can be carried out.
 * @throws {ConflictError} naming everything that is in its way, with ids and what to do
 */
export function assertApplicable(plan: Plan, choices: Pick<PlanChoices, "recreate">): void {
  const obstacles = blockersOf(plan, choices);
  const [first] = obstacles;
  if (first === undefined) return;
  const several = obstacles.length > 1;
  throw new ConflictError(
    several ? `${obstacles.length} things are in the way` : `${first.address} is in the way`,
    {
      detail: obstacles.map(blockerText).join("\n"),
      remedy: [...new Set(obstacles.map(({ action }) => BLOCKER_REMEDIES[action]))].join(" "),
      done: "Nothing was created.",
      suggestion: obstacles.flatMap(commandsFor),
      data: { obstacles: obstacles.map(({ resource: _, ...rest }) => rest) },
    },
  );
}

const BLOCKER_REMEDIES: Readonly<Record<Blocker["action"], string>> = {
  conflict:
    "What exists cannot be changed: give the routing another name for it, let the routing name its ID, or delete it at the service.",
  ambiguous: "Delete all but one at the service, or say by its ID which one it is.",
  missing: MISSING_REMEDY,
};

/** The commands that settle it, where only the state has to change. */
function commandsFor(item: Blocker): SuggestedCommand[] {
  if (item.action === "ambiguous") {
    return item.ids.map((id) => suggest("notify import", [item.address, id]));
  }
  return item.action === "missing" ? [suggest("notify forget", [item.address])] : [];
}

function blockerText(item: Blocker): string {
  if (item.action === "ambiguous") {
    return `${item.address} exists ${item.ids.length} times: ${item.ids.join(", ")}`;
  }
  if (item.action === "missing") {
    return `${item.address} was ${item.id}, and is not listed any more`;
  }
  const { differences } = item;
  const how = differences.map(
    ({ field, wanted, found }) =>
      `\n  ${field}: wanted ${shownValue(wanted)}, found ${shownValue(found)}`,
  );
  const unseen = how.length > 0 ? "" : "\n  it was made from something else, a secret perhaps";
  return `${item.address} exists as ${item.id}, and differs:${how.join("")}${unseen}`;
}

function shownValue(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
