import {
  type Address,
  addressParts,
  destinationAddress,
  destinationRouteAddress,
  eventRouteAddress,
  topicAddress,
} from "./address.ts";
import {
  type ExistingIds,
  existingIds,
  type NewDestination,
  type RoutingModel,
} from "./routing.ts";

/** What can be created, in the order of creation, with what one and several are called. */
export const RESOURCE_KINDS = {
  destination: ["destination", "destinations"],
  topic: ["topic", "topics"],
  "event-route": ["event route", "event routes"],
  "destination-route": ["destination route", "destination routes"],
} as const satisfies Record<string, readonly [one: string, many: string]>;

/** A key of {@link RESOURCE_KINDS}. */
export type ResourceKind = keyof typeof RESOURCE_KINDS;

/** The kinds in the order of creation. */
export const RESOURCE_ORDER = Object.keys(RESOURCE_KINDS) as readonly ResourceKind[];

/** One thing to create. Routes name their ends; ids are known when the ends exist. */
export type Resource = { readonly address: Address } & (
  | { readonly kind: "destination"; readonly name: string; readonly part: NewDestination }
  | { readonly kind: "topic"; readonly name: string }
  | { readonly kind: "event-route"; readonly topic: string; readonly event: string }
  | { readonly kind: "destination-route"; readonly topic: string; readonly destination: string }
);

/**
 * Everything that the routing consists of and that does not stand yet, each thing once, routes
 * after what they connect.
 * @throws {Error} for a topic that leads to a destination which the model does not have
 */
export function missingResources(
  model: RoutingModel,
  standing: ExistingIds = new Map(),
): Resource[] {
  const steps = new Map<Address, Resource>();
  for (const step of allResources(model)) steps.set(step.address, steps.get(step.address) ?? step);
  for (const address of [...existingIds(model).keys(), ...standing.keys()]) steps.delete(address);
  return [...steps.values()];
}

function allResources({ destinations, topics }: RoutingModel): Resource[] {
  return [
    ...[...destinations].flatMap(([name, part]): Resource[] =>
      part.kind === "new"
        ? [{ kind: "destination", address: destinationAddress(name), name, part }]
        : [],
    ),
    ...[...topics.keys()].map(
      (name): Resource => ({
        kind: "topic",
        address: topicAddress(name),
        name,
      }),
    ),
    ...[...topics].flatMap(([topic, { events }]) =>
      events.map(
        (event): Resource => ({
          kind: "event-route",
          address: eventRouteAddress(topic, event),
          topic,
          event,
        }),
      ),
    ),
    ...[...topics].flatMap(([topic, { destinations: names }]) =>
      names.map((destination): Resource => {
        if (!destinations.has(destination)) throw new Error(`no destination ${destination}`);
        const address = destinationRouteAddress(topic, destination);
        return { kind: "destination-route", address, topic, destination };
      }),
    ),
  ];
}

/** `1 destination · 1 topic · 3 event routes`: what there is none of is left out. */
export function countText(steps: readonly Pick<Resource, "kind">[]): string {
  return Object.entries(RESOURCE_KINDS)
    .map(([kind, [one, many]]) => {
      const count = steps.filter((step) => step.kind === kind).length;
      return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
    })
    .filter((count) => count !== "")
    .join(" · ");
}

/**
 * A step of which only the address is known: what its natural key needs, and no more. What it would
 * create is not in it.
 */
export function resourceAt(address: Address): Resource {
  const { kind, names } = addressParts(address);
  const [first = "", second = ""] = names;
  return RESOURCE_FROM_NAMES[kind](address, first, second);
}

const NO_CONTENT = { kind: "new", type: "", metadata: {}, secrets: {} } as const;

const RESOURCE_FROM_NAMES: Readonly<
  Record<ResourceKind, (address: Address, first: string, second: string) => Resource>
> = {
  destination: (address, name) => ({ kind: "destination", address, name, part: NO_CONTENT }),
  topic: (address, name) => ({ kind: "topic", address, name }),
  "event-route": (address, topic, event) => ({ kind: "event-route", address, topic, event }),
  "destination-route": (address, topic, destination) => ({
    kind: "destination-route",
    address,
    topic,
    destination,
  }),
};
