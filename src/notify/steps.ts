import {
  type Address,
  destinationAddress,
  destinationRouteAddress,
  eventRouteAddress,
  topicAddress,
} from "./address.ts";
import { type NewDestination, type RoutingModel, type Standing, standingOf } from "./model.ts";

/** What can be created, in the order of creation, with what one and several are called. */
export const STEP_KINDS = {
  destination: ["destination", "destinations"],
  topic: ["topic", "topics"],
  "event-route": ["event route", "event routes"],
  "destination-route": ["destination route", "destination routes"],
} as const satisfies Record<string, readonly [one: string, many: string]>;

/** A key of {@link STEP_KINDS}. */
export type StepKind = keyof typeof STEP_KINDS;

/** The kinds in the order of creation. */
export const STEP_ORDER = Object.keys(STEP_KINDS) as readonly StepKind[];

/** One thing to create. Routes name their ends; ids are known when the ends exist. */
export type Step = { readonly address: Address } & (
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
export function stepsOf(model: RoutingModel, standing: Standing = new Map()): Step[] {
  const steps = new Map<Address, Step>();
  for (const step of allSteps(model)) steps.set(step.address, steps.get(step.address) ?? step);
  for (const address of [...standingOf(model).keys(), ...standing.keys()]) steps.delete(address);
  return [...steps.values()];
}

function allSteps({ destinations, topics }: RoutingModel): Step[] {
  return [
    ...[...destinations].flatMap(([name, part]): Step[] =>
      part.kind === "new"
        ? [{ kind: "destination", address: destinationAddress(name), name, part }]
        : [],
    ),
    ...[...topics.keys()].map(
      (name): Step => ({
        kind: "topic",
        address: topicAddress(name),
        name,
      }),
    ),
    ...[...topics].flatMap(([topic, { events }]) =>
      events.map(
        (event): Step => ({
          kind: "event-route",
          address: eventRouteAddress(topic, event),
          topic,
          event,
        }),
      ),
    ),
    ...[...topics].flatMap(([topic, { destinations: names }]) =>
      names.map((destination): Step => {
        if (!destinations.has(destination)) throw new Error(`no destination ${destination}`);
        const address = destinationRouteAddress(topic, destination);
        return { kind: "destination-route", address, topic, destination };
      }),
    ),
  ];
}

/** `1 destination · 1 topic · 3 event routes`: what there is none of is left out. */
export function countsOf(steps: readonly Pick<Step, "kind">[]): string {
  return Object.entries(STEP_KINDS)
    .map(([kind, [one, many]]) => {
      const count = steps.filter((step) => step.kind === kind).length;
      return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
    })
    .filter((count) => count !== "")
    .join(" · ");
}
