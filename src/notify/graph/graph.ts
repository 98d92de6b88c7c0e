import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import type { DestinationNode, RoutingGraph, TopicNode } from "../../documents/notify.ts";
import { compareText } from "../../values/basics.ts";

/** The parts of a graph; a topic refers to its destinations by name. */
export interface GraphParts {
  readonly topics: readonly Pick<
    TopicNode,
    "name" | "id" | "events" | "destinations" | "unlisted"
  >[];
  readonly destinations: readonly Pick<DestinationNode, "name" | "id" | "type">[];
}

/**
 * Makes the graph of a routing. Names are sorted, known event types in the order of their table.
 */
export function graphOf(parts: GraphParts): RoutingGraph {
  const topics = parts.topics
    .map((topic) => {
      const events = inOrder(topic.events);
      const destinations = sortedNames(topic.destinations);
      return {
        ...topic,
        events,
        destinations,
        reachesNoDestination: destinations.length === 0,
        receivesNoEvents: events.length === 0,
      };
    })
    .sort(byName);
  const receiving = Map.groupBy(
    topics.flatMap((topic) => topic.events.map((event) => ({ event, topic }))),
    ({ event }) => event,
  );
  const leading = Map.groupBy(
    topics.flatMap((topic) => topic.destinations.map((destination) => ({ destination, topic }))),
    ({ destination }) => destination,
  );
  const events = inOrder([...receiving.keys()]).map((name) => {
    const to = receiving.get(name) ?? [];
    const destinations = sortedNames(to.flatMap(({ topic }) => topic.destinations));
    return {
      name,
      known: isKnown(name),
      topics: to.map(({ topic }) => topic.name),
      destinations,
      reachesNoDestination: destinations.length === 0,
    };
  });
  const destinations = parts.destinations
    .map((destination) => {
      const from = leading.get(destination.name) ?? [];
      const reaching = inOrder(from.flatMap(({ topic }) => topic.events));
      return {
        ...destination,
        topics: from.map(({ topic }) => topic.name),
        events: reaching,
        receivesNoEvents: reaching.length === 0,
      };
    })
    .sort(byName);
  return {
    events,
    topics,
    destinations,
    unrouted: EVENT_TYPES.filter((name) => !receiving.has(name)),
  };
}

/** The destinations of a topic that the service does not list, as a part of a sentence. */
export function unlistedText({ unlisted = [] }: Pick<TopicNode, "unlisted">): string | undefined {
  if (unlisted.length === 0) return undefined;
  return unlisted.length === 1
    ? `its destination ${unlisted[0]} is not listed`
    : `its destinations ${unlisted.join(", ")} are not listed`;
}

function isKnown(event: string): boolean {
  return (EVENT_TYPES as readonly string[]).includes(event);
}

/** Event types, each once: the known ones in the order of their table, then the others by name. */
function inOrder(events: readonly string[]): string[] {
  const given = new Set(events);
  const known = EVENT_TYPES.filter((event) => given.has(event));
  return [...known, ...[...given].filter((event) => !isKnown(event)).sort(compareText)];
}

function sortedNames(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compareText);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return compareText(one.name, other.name);
}
