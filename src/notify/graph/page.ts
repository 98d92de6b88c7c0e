import type { GraphResult, RoutingGraph } from "../../documents/notify.ts";
import { counted } from "../../values/counted.ts";
import {
  type GraphRow,
  graphRowsOf,
  note,
  type Page,
  type RoutingPicture,
  routingEdges,
  row,
  rows,
  toned,
  type ViewRows,
} from "../../view/view.ts";
import { destinationNote, topicNote } from "./graph.ts";
import { sourceText } from "./load.ts";

/**
 * The page of a routing: each topic drawn with what flows through it, then what is not connected.
 */
export function graphPage(result: GraphResult): Page {
  const { events, topics, destinations, unrouted } = result;
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
      rows([
        ...row("No destination", withoutDestination(result).map(marked)),
        ...row("No events", withoutEvents(result).map(marked)),
        ...row("Not routed", unrouted.length === 0 ? "" : toned("dim", unrouted.join(", "))),
      ]),
    ],
  };
}

/** The routes, and what is not connected, for a program. */
export function graphRows(result: GraphResult): ViewRows {
  return graphRowsOf([
    ...routingEdges(pictureOf(result)),
    ...withoutDestination(result),
    ...withoutEvents(result),
    ...result.unrouted.map((event) => ["event", event, "not routed"] as const),
  ]);
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

function withoutDestination({ topics, events }: RoutingGraph): GraphRow[] {
  const lacking = (
    kind: string,
    nodes: readonly { readonly name: string; readonly reachesNoDestination: boolean }[],
    reason: string,
  ) =>
    nodes.flatMap((one): GraphRow[] =>
      one.reachesNoDestination ? [[kind, one.name, reason]] : [],
    );
  return [
    ...lacking("topic", topics, "no destination"),
    ...lacking("event", events, "its topics have no destination"),
  ];
}

function withoutEvents({ topics, destinations }: RoutingGraph): GraphRow[] {
  return [
    ...topics.flatMap(({ name, receivesNoEvents }): GraphRow[] =>
      receivesNoEvents ? [["topic", name, "no event type"]] : [],
    ),
    ...destinations.flatMap(({ name, receivesNoEvents, topics: from }): GraphRow[] => {
      const reason =
        from.length === 0 ? "no topic is routed to it" : "its topics have no event type";
      return receivesNoEvents ? [["destination", name, reason]] : [];
    }),
  ];
}

function marked([kind, name, reason]: GraphRow) {
  return toned("attention", `${kind} ${name} (${reason})`);
}
