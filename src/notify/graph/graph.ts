import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import type { DestinationNode, RoutingGraph, TopicNode } from "../../documents/notify.ts";
import { compareText } from "../../values/basics.ts";
import { visible } from "../../values/safe-data.ts";

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

interface DrawnNode {
  /** The identifier in the drawing, which never has a character of a name. */
  readonly id: string;
  readonly kind: "event" | "topic" | "destination";
  readonly name: string;
  /** A second line: the type of a destination, and what is wrong. */
  readonly note?: string;
  /** Whether it reaches no destination, or receives no events. */
  readonly isMarked: boolean;
}

/** A graph as nodes and edges. */
interface Drawing {
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

function drawingOf({ events, topics, destinations }: RoutingGraph): Drawing {
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

const MERMAID_SHAPES = {
  event: ["([", "])"],
  topic: ["[", "]"],
  destination: ["[/", "/]"],
} as const satisfies Record<DrawnNode["kind"], readonly [string, string]>;

/** The graph as a Mermaid flowchart, which GitHub and GitLab draw in Markdown. */
export function mermaidText(graph: RoutingGraph): string {
  const { nodes, edges } = drawingOf(graph);
  const marked = nodes.filter(({ isMarked }) => isMarked).map(({ id }) => id);
  const lines = [
    "flowchart LR",
    ...nodes.map(({ id, kind, name, note }) => {
      const [open, close] = MERMAID_SHAPES[kind];
      const label = [name, note].flatMap((text) => (text === undefined ? [] : mermaidLabel(text)));
      return `  ${id}${open}"${label.join("<br/>")}"${close}`;
    }),
    ...edges.map(([from, to]) => `  ${from} --> ${to}`),
    ...(marked.length === 0
      ? []
      : [
          "  classDef marked stroke:#b45309,stroke-width:2px,stroke-dasharray:5 4",
          `  class ${marked.join(",")} marked`,
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * The characters that mean themselves in a Mermaid label. All others are written as entities:
 * quotes end the label, `#` begins an entity, and `<`, `*`, `_` or a backtick begin markup.
 */
const PLAIN_IN_MERMAID = /(?!\u200c|\u200d|\p{M})[^\p{L}\p{N}\p{Extended_Pictographic} ./,:-]/gu;
/** The start of what Markdown takes for a list. */
const LIST_MARK = /^(\s*)(?:(\d+)\.|-)(?=\s|$)/u;

function mermaidLabel(text: string): string {
  return text
    .replace(PLAIN_IN_MERMAID, (character) => `#${character.codePointAt(0)};`)
    .replace(LIST_MARK, (_all, before: string, number: string | undefined) =>
      number === undefined ? `${before}#45;` : `${before}${number}#46;`,
    );
}
