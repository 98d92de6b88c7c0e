import { UsageError } from "../../errors.ts";
import type { ResourceKind } from "./resource.ts";

/** The stable name of a thing in a routing: `event-route/lifecycle/installation.created`. */
export type Address = `${ResourceKind}/${string}`;

/** The address of a destination. */
export function destinationAddress(name: string): Address {
  return `destination/${encodedName(name)}`;
}

/** The address of a topic. */
export function topicAddress(name: string): Address {
  return `topic/${encodedName(name)}`;
}

/** The address of the route that lets an event type into a topic. */
export function eventRouteAddress(topic: string, event: string): Address {
  return `event-route/${encodedName(topic)}/${encodedName(event)}`;
}

/** The address of the route that lets a topic's notifications out to a destination. */
export function destinationRouteAddress(topic: string, destination: string): Address {
  return `destination-route/${encodedName(topic)}/${encodedName(destination)}`;
}

/** A server may allow what the live platform refuses: a slash in a name must not move the parts. */
function encodedName(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}

/** What an address is of, and the names that it is made of. */
export function addressParts(address: Address): {
  readonly kind: ResourceKind;
  readonly names: readonly string[];
} {
  const [kind, ...names] = address.split("/");
  // The one place that takes an address apart: its type says that a kind comes first.
  return { kind: kind as ResourceKind, names: names.map(decodedName) };
}

function decodedName(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}

/** What an address looks like: the kind, and a name for each thing that it connects. */
const ADDRESS_FORM =
  /^(?:(?:destination|topic)\/[^/]+|(?:event|destination)-route\/[^/]+\/[^/]+)$/u;

/** Whether a text is an address, of something that exists or not. */
export function isAddress(text: string): text is Address {
  return ADDRESS_FORM.test(text);
}

/**
 * Reads an address that was typed.
 * @throws {UsageError} for what is none
 */
export function parseAddress(typed: string): Address {
  if (isAddress(typed)) return typed;
  throw new UsageError(`${JSON.stringify(typed)} is no address`, {
    remedy: [
      "Addresses read destination/NAME, topic/NAME, event-route/TOPIC/EVENT",
      "or destination-route/TOPIC/DESTINATION.",
    ].join(" "),
  });
}
