import type { StepKind } from "./steps.ts";

/** The stable name of a thing in a routing: `event-route/lifecycle/installation.created`. */
export type Address = `${StepKind}/${string}`;

/** The address of a destination. */
export function destinationAddress(name: string): Address {
  return `destination/${part(name)}`;
}

/** The address of a topic. */
export function topicAddress(name: string): Address {
  return `topic/${part(name)}`;
}

/** The address of the route that lets an event type into a topic. */
export function eventRouteAddress(topic: string, event: string): Address {
  return `event-route/${part(topic)}/${part(event)}`;
}

/** The address of the route that lets a topic's notifications out to a destination. */
export function destinationRouteAddress(topic: string, destination: string): Address {
  return `destination-route/${part(topic)}/${part(destination)}`;
}

/** A server may allow what the live platform refuses: a slash in a name must not move the parts. */
function part(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** What an address is of, and the names that it is made of. */
export function addressParts(address: Address): {
  readonly kind: StepKind;
  readonly names: readonly string[];
} {
  const [kind, ...names] = address.split("/");
  // The one place that takes an address apart: its type says that a kind comes first.
  return { kind: kind as StepKind, names: names.map(nameOf) };
}

function nameOf(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}
