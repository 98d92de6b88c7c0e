import { visible } from "../../values/visible.ts";
import type { DestinationNode, RoutingGraph, TopicNode } from "./graph.ts";

/** A node as every drawing has it. */
export interface DrawnNode {
  /** The identifier in the drawing, which never has a character of a name. */
  readonly id: string;
  readonly kind: "event" | "topic" | "destination";
  readonly name: string;
  /** A second line: the type of a destination, and what is wrong. */
  readonly note?: string;
  /** Whether it reaches no destination, or receives no events. */
  readonly isMarked: boolean;
}

/** A graph as nodes and edges, for drawings outside the terminal. */
export interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly (readonly [from: string, to: string])[];
}

/** The words for a topic that is not connected on both sides; undefined for one that is. */
export function topicNote({
  receivesNoEvents,
  reachesNoDestination,
}: TopicNode): string | undefined {
  if (receivesNoEvents && reachesNoDestination) return "not connected";
  if (receivesNoEvents) return "no events";
  return reachesNoDestination ? "no destination" : undefined;
}

/** The type of a destination, and whether nothing reaches it. */
export function destinationNote({ type, receivesNoEvents }: DestinationNode): string | undefined {
  return [type, receivesNoEvents && "no events"].filter(Boolean).join(", ") || undefined;
}

/** The nodes and edges of a graph. */
export function drawingOf({ events, topics, destinations }: RoutingGraph): Drawing {
  const ids = {
    event: idsOf("e", events),
    topic: idsOf("t", topics),
    destination: idsOf("d", destinations),
  };
  const node = (
    kind: DrawnNode["kind"],
    name: string,
    note: string | undefined,
    isMarked: boolean,
  ): DrawnNode => ({
    id: ids[kind].get(name) ?? "",
    kind,
    name: visible(name),
    ...(note === undefined ? {} : { note: visible(note) }),
    isMarked,
  });
  const edge = (from: string | undefined, to: string | undefined) =>
    from === undefined || to === undefined ? [] : [[from, to] as const];
  return {
    nodes: [
      ...events.map(({ name, reachesNoDestination }) =>
        node(
          "event",
          name,
          reachesNoDestination ? "no destination" : undefined,
          reachesNoDestination,
        ),
      ),
      ...topics.map((topic) => {
        const note = topicNote(topic);
        return node("topic", topic.name, note, note !== undefined);
      }),
      ...destinations.map((one) =>
        node("destination", one.name, destinationNote(one), one.receivesNoEvents),
      ),
    ],
    edges: topics.flatMap((topic) => {
      const own = ids.topic.get(topic.name);
      return [
        ...topic.events.flatMap((event) => edge(ids.event.get(event), own)),
        ...topic.destinations.flatMap((name) => edge(own, ids.destination.get(name))),
      ];
    }),
  };
}

function idsOf(letter: string, nodes: readonly { readonly name: string }[]) {
  return new Map(nodes.map(({ name }, at) => [name, `${letter}${at + 1}`]));
}
