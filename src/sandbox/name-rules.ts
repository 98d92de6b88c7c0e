import { bodyIssue, type Rules } from "./check-body.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

/** Letters, digits and dashes. */
export const destinationName: Rules = ({ name }) =>
  typeof name === "string" && !/^[A-Za-z0-9-]*$/u.test(name)
    ? [bodyIssue("name", name, "only letters, digits and dashes are allowed")]
    : [];

/** Letters, digits and dashes, at most 64. */
export const topicName: Rules = (body) =>
  typeof body.name === "string" && body.name.length > 64
    ? [bodyIssue("name", body.name, "must have at most 64 characters")]
    : destinationName(body);

/**
 * Names are unique in their project, in the case they are written in. For topics the platform
 * declares the 409; for destinations it says only that a name must be unique.
 * @throws {Refusal} 409
 */
export function checkUnique(
  world: World,
  list: "destinations" | "topics",
  { projectId, name }: { projectId: string; name: string },
): void {
  const twin = world[list].find((each) => each.projectId === projectId && each.name === name);
  if (twin === undefined) return;
  const what = list === "topics" ? "topic" : "destination";
  throw new Refusal("name-taken", `There is a ${what} named ${JSON.stringify(name)} already.`, {
    context: { resource: what, id: twin.id, name },
  });
}
