import type { GraphResult, RoutingGraph } from "../../documents/notify.ts";
import { counted } from "../../values/counted.ts";
import {
  type Cell,
  edgeRows,
  note,
  type Page,
  type PageRow,
  type RoutingPicture,
  row,
  rows,
  toned,
  type ViewRows,
} from "../../view/view.ts";
import { destinationNote, topicNote } from "./label.ts";
import { sourceText } from "./load.ts";

/**
 * The page of a routing: each topic drawn with what flows through it, then what is not connected.
 */
export function graphPage(result: GraphResult): Page {
  const { events, topics, destinations } = result;
  const counts = [
    counted(events.length, "event type"),
    counted(topics.length, "topic"),
    counted(destinations.length, "destination"),
  ];
  const isEmpty = topics.length === 0 && destinations.length === 0;
  return {
    title: `Routing of ${sourceText(result)}`,
    aside: counts.join(", "),
    blocks: [
      ...(isEmpty ? note("No topics or destinations.") : []),
      ...(topics.length > 0
        ? [{ kind: "routing", picture: pictureOf(result), inRows: true } as const]
        : []),
      rows(gapRows(result)),
    ],
  };
}

/** The edges of a routing, for a program. */
export function graphRows(result: GraphResult): ViewRows {
  return edgeRows(pictureOf(result));
}

function pictureOf({ topics, destinations }: RoutingGraph): RoutingPicture {
  const noteOf = new Map(destinations.map((one) => [one.name, destinationNote(one)]));
  const noted = (note: string | undefined) => (note === undefined ? {} : { note });
  return {
    topics: topics.map((topic) => ({
      name: topic.name,
      events: topic.events,
      ...noted(topicNote(topic)),
      destinations: topic.destinations.map((name) => ({ name, ...noted(noteOf.get(name)) })),
    })),
  };
}

/**
 * The rows for nodes that reach no destination, nodes that receive no events, and the event types
 * without a route.
 */
function gapRows({ events, topics, destinations, unrouted }: RoutingGraph): PageRow[] {
  const withoutDestination = {
    topics: topics.filter((one) => one.reachesNoDestination),
    events: events.filter((one) => one.reachesNoDestination),
  };
  const withoutEvents = {
    topics: topics.filter((one) => one.receivesNoEvents),
    destinations: destinations.filter((one) => one.receivesNoEvents),
  };
  return [
    ...row("No destination", [
      ...marks("topic", withoutDestination.topics, "no destination"),
      ...marks("event type", withoutDestination.events, "its topics have no destination"),
    ]),
    ...row("No events", [
      ...marks("topic", withoutEvents.topics, "no event type"),
      ...withoutEvents.destinations.map(({ name, topics: from }) =>
        mark(
          "destination",
          name,
          from.length === 0 ? "no topic is routed to it" : "its topics have no event type",
        ),
      ),
    ]),
    ...row("Not routed", unrouted.length === 0 ? undefined : toned("dim", unrouted.join(", "))),
  ];
}

function marks(kind: string, nodes: readonly { readonly name: string }[], reason: string): Cell[] {
  return nodes.map(({ name }) => mark(kind, name, reason));
}

function mark(kind: string, name: string, reason: string): Cell {
  return toned("attention", `${kind} ${name} (${reason})`);
}
