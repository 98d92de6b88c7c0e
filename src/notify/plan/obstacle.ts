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
export type Obstacle = Extract<PlanItem, { action: "conflict" | "ambiguous" | "missing" }>;

/** What to do about what is not listed any more. */
export const MISSING_REMEDY =
  "What is not listed any more was deleted by somebody, or the list is behind and will show it again. Where it was deleted, --recreate creates it again.";

/** What is in the way of a plan. */
export function obstaclesOf(
  { items }: Pick<Plan, "items">,
  choices: Pick<PlanChoices, "recreate">,
): readonly Obstacle[] {
  return items.filter((item) => isObstacle(item, choices));
}

/** Whether somebody has to decide about it first. */
export function isObstacle(
  item: PlanItem,
  { recreate }: Pick<PlanChoices, "recreate">,
): item is Obstacle {
  if (item.action === "missing") return !recreate && item.follows !== true;
  return item.action === "conflict" || item.action === "ambiguous";
}
