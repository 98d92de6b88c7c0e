import type { RoutingGraph } from "../../documents/notify.ts";
import { firstNames } from "../../values/counted.ts";
import { matchesPattern } from "../../values/nearest.ts";
import type { Forbidden } from "../file/schema.ts";
import { type Address, addressOf } from "../model/address.ts";

/** A breach of a rule. */
export interface Breach {
  /** The problem, as a sentence. */
  readonly message: string;
  /** The remedy, where it is not that of the rule. */
  readonly remedy?: string;
  /** The part of the routing that it is about; for a file, its address or its path in the file. */
  readonly part?: Address | readonly PropertyKey[];
  readonly event?: string;
  readonly topic?: string;
  readonly destination?: string;
}

/** The routes that an entry of `forbid` names, each once. */
export function forbiddenRoutes({ topics }: RoutingGraph, forbidden: Forbidden): Breach[] {
  const { event, topic, destination } = forbidden;
  const fits = (pattern: string | undefined, name: string) =>
    pattern === undefined || matchesPattern(pattern === "all" ? "*" : pattern, name);
  const by = `forbidden by ${patternsText(forbidden)}`;
  return topics
    .filter(({ name }) => fits(topic, name))
    .flatMap(({ name, events, destinations }): Breach[] => {
      const fed = events.filter((one) => fits(event, one));
      const reached = destinations.filter((one) => fits(destination, one));
      if (destination === undefined) {
        return fed.map((one) => ({
          message: `Topic ${name} receives ${one}, which is ${by}.`,
          part: addressOf("event-route", name, one),
          event: one,
          topic: name,
        }));
      }
      if (event === undefined) {
        return reached.map((one) => ({
          message: `Topic ${name} has the destination ${one}, which is ${by}.`,
          part: addressOf("destination-route", name, one),
          topic: name,
          destination: one,
        }));
      }
      return fed.flatMap((one) =>
        reached.map((to) => ({
          message: `${one} reaches ${to} by topic ${name}, which is ${by}.`,
          part: addressOf("event-route", name, one),
          event: one,
          topic: name,
          destination: to,
        })),
      );
    });
}

function patternsText({ event, topic, destination }: Forbidden): string {
  return [
    event !== undefined && `event ${event}`,
    topic !== undefined && `topic ${topic}`,
    destination !== undefined && `destination ${destination}`,
  ]
    .filter((text) => text !== false)
    .join(" and ");
}

/** One breach for each pair of a destination and the topics by which events reach it twice. */
export function duplicateDeliveries({ events, topics }: RoutingGraph): Breach[] {
  const leadsTo = new Map(topics.map(({ name, destinations }) => [name, destinations]));
  const twice = events.flatMap(({ name: event, topics: receiving, destinations }) => {
    const by = new Map<string, string[]>(destinations.map((destination) => [destination, []]));
    for (const topic of receiving) {
      for (const destination of leadsTo.get(topic) ?? []) by.get(destination)?.push(topic);
    }
    return [...by].flatMap(([destination, by]) =>
      by.length < 2 ? [] : [{ event, destination, by }],
    );
  });
  const groups = Map.groupBy(twice, ({ destination, by }) => JSON.stringify([destination, by]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { event, destination, by } = first;
    const last = by.at(-1) ?? "";
    const names = group.map((one) => one.event).join(", ");
    return {
      message: `${destination} receives ${names} ${by.length} times: from topics ${firstNames(by)}.`,
      part: addressOf("destination-route", last, destination),
      ...(group.length === 1 ? { event } : {}),
      topic: last,
      destination,
    };
  });
}
