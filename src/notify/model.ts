import type { Address } from "./address.ts";
import { destinationAddress, topicAddress } from "./address.ts";
import type { Metadata } from "./metadata.ts";
import type { Secrets } from "./secrets.ts";

/** A destination that does not exist yet. */
export interface NewDestination {
  readonly kind: "new";
  readonly type: string;
  readonly metadata: Metadata;
  readonly secrets: Secrets;
}

/** A destination that exists. */
export interface ExistingDestination {
  readonly kind: "existing";
  readonly id: string;
  /** Absent where the service does not tell. */
  readonly type?: string;
}

/** A destination of a routing, by whatever name the routing calls it. */
export type DestinationPart = NewDestination | ExistingDestination;

/** A topic with what flows into it and out of it. */
export interface TopicPart {
  /** Of a topic that exists; absent for a new one. */
  readonly id?: string;
  readonly events: readonly string[];
  /** Names of destinations of the same routing. */
  readonly destinations: readonly string[];
}

/**
 * What should exist, by name. The wizard, its options and the routing file all make one of these.
 * Maps, not objects: a name may be anything, `__proto__` too.
 */
export interface RoutingModel {
  readonly destinations: ReadonlyMap<string, DestinationPart>;
  readonly topics: ReadonlyMap<string, TopicPart>;
}

/** What exists already: address to id. */
export type Standing = ReadonlyMap<Address, string>;

/** The part of a model that exists by its own word. */
export function standingOf({ destinations, topics }: RoutingModel): Map<Address, string> {
  const standing = new Map<Address, string>();
  for (const [name, part] of destinations) {
    if (part.kind === "existing") standing.set(destinationAddress(name), part.id);
  }
  for (const [name, { id }] of topics) {
    if (id !== undefined) standing.set(topicAddress(name), id);
  }
  return standing;
}
