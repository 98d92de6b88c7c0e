import { destinationMistakes, eventMistake, type Mistake } from "../../api/catalogue/mistakes.ts";
import { asList } from "../../values/basics.ts";
import { placeholderProblem, referencedVariable } from "./metadata.ts";
import type { RoutingModel } from "./routing.ts";
import { type DestinationContent, revealedSecrets } from "./secrets.ts";

/** The mistakes of a new destination. */
export function contentMistakes(
  type: string,
  { metadata, secrets }: Pick<DestinationContent, "metadata" | "secrets">,
): Mistake[] {
  const mistakes = destinationMistakes(type, { metadata, secrets: revealedSecrets(secrets) });
  return mistakes.filter(
    ({ path: [part, name = ""], field }) =>
      field !== "value" || part !== "metadata" || !isHidden(metadata[name]),
  );
}

/** Whether a value is not known: a reference that is not read, or what a service shows in its place. */
function isHidden(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return referencedVariable(value) !== undefined || placeholderProblem(value) !== undefined;
}

/** The mistakes of a routing: of its new destinations and its events. */
export function routingMistakes({ destinations, topics }: RoutingModel): Mistake[] {
  const events = new Set([...topics.values()].flatMap(({ events }) => events));
  return [
    ...[...destinations.values()].flatMap((part) =>
      part.kind === "new" ? contentMistakes(part.type, part) : [],
    ),
    ...[...events].flatMap((event) => asList(eventMistake(event))),
  ];
}
