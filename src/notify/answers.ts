import type { Address } from "./address.ts";
import { destinationRouteAddress, eventRouteAddress } from "./address.ts";
import type { DestinationContent } from "./destination-input.ts";
import type { RoutingModel, Standing } from "./model.ts";
import type { TopicRoutes } from "./survey.ts";

/** The destination of a setup. `name` of one that exists is its id where the service tells none. */
export type DestinationAnswer =
  | ({ readonly kind: "new"; readonly name: string; readonly type: string } & DestinationContent)
  | {
      readonly kind: "existing";
      readonly name: string;
      readonly id: string;
      readonly type?: string;
    };

/** The topic of a setup. */
export type TopicAnswer =
  | { readonly kind: "new"; readonly name: string }
  | { readonly kind: "existing"; readonly name: string; readonly id: string };

/** All that a setup has to know. */
export interface Answers {
  readonly destination: DestinationAnswer;
  readonly topic: TopicAnswer;
  readonly events: readonly string[];
}

/** The routing that the answers ask for. */
export function modelOf({ destination, topic, events }: Answers): RoutingModel {
  const { name, ...part } = destination;
  const id = topic.kind === "existing" ? { id: topic.id } : {};
  return {
    destinations: new Map([[name, part]]),
    topics: new Map([[topic.name, { ...id, events, destinations: [name] }]]),
  };
}

/** The routes that the answers ask for and that the topic has already. */
export function standingRoutes(
  { destination, topic, events }: Answers,
  routes: TopicRoutes,
): Standing {
  const standing = new Map<Address, string>();
  for (const event of events) {
    const id = routes.events.get(event);
    if (id !== undefined) standing.set(eventRouteAddress(topic.name, event), id);
  }
  const out = destination.kind === "existing" ? routes.destinations.get(destination.id) : undefined;
  if (out !== undefined) standing.set(destinationRouteAddress(topic.name, destination.name), out);
  return standing;
}
