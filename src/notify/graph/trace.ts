import { eventType } from "../../api/catalogue/events.ts";
import type { EventTrace, RoutingGraph } from "../../documents/notify.ts";
import { isDataMessage } from "../../events/message/payloads.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import {
  type Block,
  graphRowsOf,
  nextBlock,
  type Page,
  type RoutingPicture,
  routingEdges,
  type ViewRows,
} from "../../view/view.ts";
import { routingErrors } from "../errors.ts";
import { nearestEvent } from "../model/names.ts";
import { unlistedText } from "./graph.ts";
import { type LoadedGraph, sourceOptions, sourceText } from "./load.ts";

type TracedTopic = EventTrace["topics"][number];
/** Why an event reaches no destination. */
type DeadEnd = NonNullable<EventTrace["reason"]>;

/**
 * Follows an event through a routing.
 * @throws {UsageError} for a pattern, which means several events
 */
export function traceEvent({ graph, source }: LoadedGraph, event: string): EventTrace {
  if (event.includes("*") || event === "all") throw routingErrors.event_means_several(event);
  const found = graph.events.find(({ name }) => name === event);
  const reached = found?.destinations ?? [];
  const isData = found === undefined && isDataMessage(event);
  const known = isData || eventType(event) !== undefined;
  const meant =
    found === undefined ? (nearestEvent(event) ?? nearestRouted(event, graph)) : undefined;
  return {
    event,
    ...source,
    known,
    ...(known || meant === undefined ? {} : { nearest: meant }),
    topics: topicsOf(graph, found?.topics ?? []),
    destinations: reached,
    reachesNoDestination: reached.length === 0 && !isData,
    ...(reached.length > 0
      ? {}
      : { reason: isData ? "data-message" : deadEnd(found !== undefined, known) }),
  };
}

function nearestRouted(event: string, { events }: RoutingGraph): string | undefined {
  return nearest(
    event,
    events.map(({ name }) => name),
  );
}

function deadEnd(isRouted: boolean, isKnown: boolean): DeadEnd {
  if (isRouted) return "no-destination";
  return isKnown ? "no-topic" : "unknown-event";
}

function topicsOf({ topics, destinations }: RoutingGraph, names: readonly string[]) {
  const receiving = new Set(names);
  const byName = new Map(destinations.map((one) => [one.name, one]));
  return topics
    .filter(({ name }) => receiving.has(name))
    .map(
      ({ name, id, unlisted, destinations: to }): TracedTopic => ({
        name,
        ...defined({ id, unlisted }),
        destinations: to.map((one) => {
          const { id: itsId, type } = byName.get(one) ?? {};
          return { name: one, ...defined({ id: itsId, type }) };
        }),
      }),
    );
}

/** The page of a trace: the paths drawn, or the reason why there is none and what to do. */
export function tracePage(trace: EventTrace): Page {
  const { topics } = trace;
  const picture: Block = { kind: "routing", picture: pictureOf(trace), inRows: true };
  const next = nextCommand(trace);
  return {
    title: titleOf(trace),
    aside: answerOf(trace),
    blocks: [
      ...(topics.length === 0 ? [] : [picture]),
      ...remarks(trace).map((text): Block => ({ kind: "text", tone: "attention", text })),
      ...(next === undefined ? [] : [nextBlock(next)]),
    ],
  };
}

function titleOf(trace: EventTrace): string {
  const { event, known, nearest: near } = trace;
  const named = known ? event : `Unknown event type ${event}`;
  return near === undefined
    ? `${named} in ${sourceText(trace)}`
    : `${named}: did you mean ${near}?`;
}

function answerOf({ reason, destinations: { length } }: EventTrace): string {
  if (reason === "data-message") return "needs no topic";
  return length === 0 ? "reaches no destination" : `reaches ${counted(length, "destination")}`;
}

/** The answer, then the routes that lead from the event, for a program. */
export function traceRows(trace: EventTrace): ViewRows {
  const { event, known, nearest: near, reason } = trace;
  const unknown = near === undefined ? "unknown event type; " : `unknown: did you mean ${near}? `;
  const says = [`${known ? "" : unknown}${answerOf(trace)}`, ...(reason ? remarks(trace) : [])];
  const answer = ["event", event, says.filter(Boolean).join(". ")] as const;
  return graphRowsOf([answer, ...routingEdges(pictureOf(trace))]);
}

function pictureOf({ event, topics }: EventTrace): RoutingPicture {
  return {
    topics: topics.map((topic) => ({
      name: topic.name,
      events: [event],
      destinations: topic.destinations.map(({ name, type }) => ({
        name,
        ...(type && { note: type }),
      })),
    })),
  };
}

const REASONS: Readonly<Record<DeadEnd, (trace: EventTrace) => string>> = {
  "unknown-event": () => "",
  "data-message": () =>
    "The platform sends a data message to the destination that the reads of its installation name.",
  "no-topic": () => "No topic receives it. Add it to the events of a topic.",
  "no-destination": ({ topics }) => {
    const [only] = topics;
    if (only !== undefined && topics.length === 1) {
      const unlisted = unlistedText(only);
      return unlisted === undefined
        ? `Topic ${only.name} has no destination. Add one.`
        : `Topic ${only.name} has no destination: ${unlisted}.`;
    }
    return "None of its topics has a destination. Add one to a topic.";
  },
};

function remarks(trace: EventTrace): string[] {
  const { topics, reason } = trace;
  if (reason !== undefined) return [REASONS[reason](trace)];
  const leading = Map.groupBy(
    topics.flatMap(({ name, destinations }) =>
      destinations.map((to) => ({ topic: name, to: to.name })),
    ),
    ({ to }) => to,
  );
  const twice = [...leading].flatMap(([name, from]) =>
    from.length < 2
      ? []
      : `${name} receives it ${from.length} times: from topics ${firstNames(from.map(({ topic }) => topic))}.`,
  );
  const dead = topics.flatMap(({ name, destinations, unlisted }) =>
    destinations.length > 0 || unlisted
      ? []
      : `Topic ${name} also receives it, but has no destination.`,
  );
  return [...twice, ...dead];
}

function nextCommand(trace: EventTrace): SuggestedCommand | undefined {
  const { reason, nearest: meant, file } = trace;
  if (reason === undefined) return undefined;
  if (reason === "data-message") return suggest("notify destinations list");
  if (reason === "unknown-event" && meant === undefined) return suggest("notify events");
  const options = sourceOptions(trace);
  // Nothing can read a pipe again.
  if (file !== undefined && options.f === undefined) return undefined;
  return meant === undefined
    ? suggest("notify graph", [], options)
    : suggest("notify graph", [meant], options);
}
