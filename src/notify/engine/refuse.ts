import { ConflictError } from "../../errors.ts";
import { quote } from "../../shell-words.ts";
import { MISSING_REMEDY, type Obstacle, obstaclesOf, type PlanChoices } from "../plan/obstacle.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * Lets a plan pass that can be carried out.
 * @throws {ConflictError} naming everything that is in its way, with ids and what to do
 */
export function refuseObstacles(plan: Plan, choices: Pick<PlanChoices, "recreate">): void {
  const obstacles = obstaclesOf(plan, choices);
  const [first] = obstacles;
  if (first === undefined) return;
  const several = obstacles.length > 1;
  throw new ConflictError(
    several ? `${obstacles.length} things are in the way` : `${first.address} is in the way`,
    {
      detail: obstacles.map(lineOf).join("\n"),
      remedy: [...new Set(obstacles.map(({ action }) => REMEDIES[action]))].join(" "),
      done: "Nothing was created.",
      data: { obstacles: obstacles.map(({ step: _, ...rest }) => rest) },
    },
  );
}

const REMEDIES: Readonly<Record<Obstacle["action"], string>> = {
  conflict:
    "What exists cannot be changed: give the routing another name for it, let the routing name its ID, or delete it at the service.",
  ambiguous: "Delete all but one at the service, or say by its ID which one it is.",
  missing: MISSING_REMEDY,
};

function lineOf(item: Obstacle): string {
  if (item.action === "ambiguous") {
    const choices = item.ids.map(
      (id) => `\n  amp notify import ${quote(item.address)} ${quote(id)}`,
    );
    return `${item.address} exists ${item.ids.length} times:${choices.join("")}`;
  }
  if (item.action === "missing") {
    return `${item.address} was ${item.id}, and is not listed any more; where it was deleted:\n  amp notify forget ${quote(item.address)}`;
  }
  const { differences } = item;
  const how = differences.map(
    ({ field, wanted, found }) => `\n  ${field}: wanted ${shown(wanted)}, found ${shown(found)}`,
  );
  const unseen = how.length > 0 ? "" : "\n  it was made from something else, a secret perhaps";
  return `${item.address} exists as ${item.id}, and differs:${how.join("")}${unseen}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
