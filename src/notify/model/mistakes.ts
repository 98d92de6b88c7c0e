import { destinationMistakes, eventMistake, type Mistake } from "../../api/catalogue/mistakes.ts";
import { asList } from "../../values/basics.ts";
import type { RoutingModel } from "./routing.ts";
import { type DestinationContent, revealedSecrets } from "./secrets.ts";

/** The mistakes of a new destination. */
export function contentMistakes(
  type: string,
  { metadata, secrets }: Pick<DestinationContent, "metadata" | "secrets">,
): Mistake[] {
  return destinationMistakes(type, { metadata, secrets: revealedSecrets(secrets) });
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
