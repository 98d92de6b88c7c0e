import { Secret } from "../../secrets/secret.ts";
import { type Address, destinationAddress, topicAddress } from "./address.ts";
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
export type ExistingIds = ReadonlyMap<Address, string>;

/** The part of a model that exists by its own word. */
export function existingIds({ destinations, topics }: RoutingModel): Map<Address, string> {
  const standing = new Map<Address, string>();
  for (const [name, part] of destinations) {
    if (part.kind === "existing") standing.set(destinationAddress(name), part.id);
  }
  for (const [name, { id }] of topics) {
    if (id !== undefined) standing.set(topicAddress(name), id);
  }
  return standing;
}

/**
 * The same routing in the one order that everything is told in: order and repetition in a file mean
 * nothing.
 */
export function canonicalRouting({ destinations, topics }: RoutingModel): RoutingModel {
  return {
    destinations: new Map([...destinations].sort(compareByName)),
    topics: new Map(
      [...topics].sort(compareByName).map(([name, part]): [string, TopicPart] => [
        name,
        {
          ...part,
          events: sortedUnique(part.events),
          destinations: sortedUnique(part.destinations),
        },
      ]),
    ),
  };
}

function sortedUnique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareText);
}

function compareByName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b);
}

/** By code units: the same on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The same routing with each of its secrets changed. */
export function mapSecrets(model: RoutingModel, change: (secret: Secret) => Secret): RoutingModel {
  const destinations = [...model.destinations].map(([name, part]): [string, DestinationPart] => {
    if (part.kind === "existing") return [name, part];
    const secrets = Object.entries(part.secrets).map(([key, one]) => [key, change(one)]);
    return [name, { ...part, secrets: Object.fromEntries(secrets) }];
  });
  return { ...model, destinations: new Map(destinations) };
}

/** The same routing for a file that stands elsewhere: what `file:` says is relative to its folder. */
export function mapSecretPaths(
  model: RoutingModel,
  change: (path: string) => string,
): RoutingModel {
  return mapSecrets(model, (secret) => {
    const { reference } = secret;
    if (reference?.from !== "file") return secret;
    return new Secret(secret.reveal(), { from: "file", path: change(reference.path) });
  });
}
