import { NotFoundError } from "../../errors.ts";
import { type Address, destinationRouteAddress, eventRouteAddress } from "../model/address.ts";
import type { DestinationContent } from "../model/destination-input.ts";
import type { NamedKind } from "../model/names.ts";
import type { ExistingIds, RoutingModel } from "../model/routing.ts";
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
export interface SetupAnswers {
  readonly destination: DestinationAnswer;
  readonly topic: TopicAnswer;
  readonly events: readonly string[];
}

/** The routing that the answers ask for. */
export function modelOfAnswers({ destination, topic, events }: SetupAnswers): RoutingModel {
  const { name, ...part } = destination;
  const id = topic.kind === "existing" ? { id: topic.id } : {};
  return {
    destinations: new Map([[name, part]]),
    topics: new Map([[topic.name, { ...id, events, destinations: [name] }]]),
  };
}

/** The routes that the answers ask for and that the topic has already. */
export function existingRoutes(
  { destination, topic, events }: SetupAnswers,
  routes: TopicRoutes,
): ExistingIds {
  const standing = new Map<Address, string>();
  for (const event of events) {
    const id = routes.events.get(event);
    if (id !== undefined) standing.set(eventRouteAddress(topic.name, event), id);
  }
  const out = destination.kind === "existing" ? routes.destinations.get(destination.id) : undefined;
  if (out !== undefined) standing.set(destinationRouteAddress(topic.name, destination.name), out);
  return standing;
}

/** A record of the service, as far as picking one needs it. */
export interface ListedRecord {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly type?: string | null | undefined;
}

/** One that exists. `name` is the id where the service tells none. */
export interface ExistingAnswer {
  readonly kind: "existing";
  readonly id: string;
  readonly name: string;
  readonly type?: string;
}

/**
 * One that exists, by an id that was given.
 * @throws {NotFoundError} where the service lists them and this is none of them
 */
export function existingById(
  what: NamedKind,
  listed: readonly ListedRecord[] | undefined,
  id: string,
): ExistingAnswer {
  const found = listed?.find((one) => one.id === id);
  if (listed !== undefined && found === undefined) {
    throw new NotFoundError(`No ${what} has the ID ${JSON.stringify(id)}`, {
      done: "Nothing was created.",
      suggestion: `amp notify ${what}s list`,
    });
  }
  return existingAnswer(found ?? { id });
}

/** The record as one that exists. */
export function existingAnswer({ id, name, type }: ListedRecord): ExistingAnswer {
  return { kind: "existing", id, name: name || id, ...(type ? { type } : {}) };
}
