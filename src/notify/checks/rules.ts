import type { RoutingGraph } from "../../documents/notify.ts";
import {
  chosenRules,
  type RuleChoice,
  type RuleFacts,
  type RuleWords,
} from "../../reports/reports.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { matchesPattern } from "../../values/nearest.ts";
import type { Forbidden, OwnRules } from "../file/schema.ts";
import { unlistedText } from "../graph/graph.ts";
import { type Address, addressOf } from "../model/address.ts";
import { expandEvents, nearestEvent } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";

/** The reads of customers that name a destination. */
export interface NamedReads {
  readonly installations: number;
  readonly objects: number;
}

/** Everything that the rules look at. */
export interface RoutingFacts extends OwnRules {
  readonly graph: RoutingGraph;
  /** The destinations of a file; absent for those of the service, which has taken them. */
  readonly declared?: RoutingModel["destinations"];
  /** The event types that are required beyond those of the file. */
  readonly alsoRequire?: readonly string[];
  /** The names that reads find a destination by; absent: those of the graph. */
  readonly listedNames?: ReadonlySet<string>;
  /** The reads by the name of their destination; only a service knows them. */
  readonly reads?: ReadonlyMap<string, NamedReads>;
}

interface Rule extends RuleWords {
  /** How it uses the reads of customers: `needed` if it reports nothing without them. */
  readonly reads?: "used" | "needed";
  readonly breaches: (facts: RoutingFacts) => Breach[];
}

const UNLISTED =
  "Run the command again. If the destination was deleted, delete the destination route.";
const DISABLED = "destination.webhook.disabled";

/** The one table of rules, in the order of their findings. */
export const ROUTING_RULES = {
  "required-event": {
    severity: "error",
    title: "A required event type reaches a destination",
    remedy: "Add the event type to a topic that has a destination.",
    breaches: ({ graph, require, alsoRequire = [] }) =>
      [
        ...require.map((text, at) => ({ text, part: { part: ["require", at] } })),
        ...alsoRequire
          .filter((text) => !require.includes(text))
          .map((text) => ({ text, part: {} })),
      ].flatMap(({ text, part }) =>
        expandEvents([text])
          .filter(
            (event) =>
              graph.events.find(({ name }) => name === event)?.reachesNoDestination ?? true,
          )
          .map((event) => ({
            message: `The required event type ${event} reaches no destination.${hintFor(event)}`,
            ...part,
            event,
          })),
      ),
  },
  "forbidden-route": {
    severity: "error",
    title: "No route matches forbid",
    remedy: "Remove the route, or the entry of forbid.",
    breaches: ({ graph, forbid }) => forbid.flatMap((pair) => forbiddenRoutes(graph, pair)),
  },
  "missing-read-destination": {
    severity: "error",
    title: "The destination of each customer's read exists",
    remedy: "Create the destination, or choose another one in the configuration of the read.",
    reads: "needed",
    breaches: ({ graph, listedNames, reads = new Map<string, NamedReads>() }) => {
      const names = listedNames ?? new Set(graph.destinations.map(({ name }) => name));
      return [...reads]
        .filter(([name]) => !names.has(name))
        .map(([destination, { installations, objects }]) => ({
          message: `${counted(objects, "read")} of ${counted(installations, "installation")} name${objects === 1 ? "s" : ""} the destination ${destination}, which does not exist: the records are not delivered.`,
          destination,
        }));
    },
  },
  "duplicate-delivery": {
    severity: "warning",
    title: "An event reaches each destination only once",
    remedy: "Remove one of the routes, or handle the event twice.",
    breaches: ({ graph }) => duplicateDeliveries(graph),
  },
  "topic-without-events": {
    severity: "warning",
    title: "Each topic receives an event type",
    remedy: "Add event types to the topic, or remove it.",
    breaches: ({ graph }) =>
      graph.topics
        .filter(({ receivesNoEvents }) => receivesNoEvents)
        .map(({ name }) => ({
          message: `Topic ${name} receives no event type.`,
          part: addressOf("topic", name),
          topic: name,
        })),
  },
  "topic-without-destination": {
    severity: "warning",
    title: "Each topic has a destination",
    remedy: "Add a destination to the topic, or remove it.",
    breaches: ({ graph }) =>
      graph.topics
        .filter(({ reachesNoDestination }) => reachesNoDestination)
        .map(({ name, unlisted }) => ({
          message: unlisted
            ? `Topic ${name} reaches no destination: ${unlistedText({ unlisted })}.`
            : `Topic ${name} has no destination.`,
          ...(unlisted && { remedy: UNLISTED }),
          part: addressOf("topic", name),
          topic: name,
        })),
  },
  "destination-without-topic": {
    severity: "warning",
    title: "Each destination has a topic or a read",
    remedy: "Add the destination to a topic, or remove it.",
    reads: "used",
    breaches: ({ graph, reads }) =>
      graph.destinations
        .filter(({ name, topics }) => topics.length === 0 && reads?.has(name) !== true)
        .map(({ name }) => ({
          message: `No topic is routed to destination ${name}.`,
          part: addressOf("destination", name),
          destination: name,
        })),
  },
  "unknown-event": {
    severity: "warning",
    title: "Each event type is known",
    remedy:
      "Correct the name; amp notify events lists the known ones. The service may have others.",
    breaches: ({ graph }) =>
      graph.events
        .filter(({ known }) => !known)
        .flatMap(({ name, topics }) => {
          return topics.map((topic) => ({
            message: `Topic ${topic} receives the unknown event type ${name}.${hintFor(name)}`,
            part: addressOf("event-route", topic, name),
            event: name,
            topic,
          }));
        }),
  },
  "disabled-webhook-alone": {
    severity: "warning",
    title: `${DISABLED} also reaches a destination other than the disabled webhook`,
    remedy: `Route ${DISABLED} to a second destination.`,
    breaches: ({ graph }) => {
      const [only, another] =
        graph.events.find(({ name }) => name === DISABLED)?.destinations ?? [];
      const destination = graph.destinations.find(({ name }) => name === only);
      if (another !== undefined || destination?.type !== "webhook") return [];
      const into = new Set(destination.topics);
      const { name: topic = "" } =
        graph.topics.find(({ name, events }) => into.has(name) && events.includes(DISABLED)) ?? {};
      return [
        {
          message: `${DISABLED} reaches only the webhook ${destination.name}: if that one is disabled, no destination is notified.`,
          part: addressOf("event-route", topic, DISABLED),
          event: DISABLED,
          topic,
          destination: destination.name,
        },
      ];
    },
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** The ID of a rule, which options and reports name. */
export type RuleId = keyof typeof ROUTING_RULES;

/** The IDs of the rules, in the order of their findings. */
export const RULE_IDS = Object.keys(ROUTING_RULES) as readonly RuleId[];

/** A rule as people and programs read it. */
export type RoutingRuleFacts = RuleFacts<RuleId>;

/** The rules that are chosen, in the order of the table. */
export function chosenRoutingRules(choice: RuleChoice<RuleId>): RoutingRuleFacts[] {
  return chosenRules(ROUTING_RULES, choice);
}

/** A rule by its ID, without the literal types of the table. */
export function ruleOf(id: RuleId): Rule {
  return ROUTING_RULES[id];
}

/** A question about an event type that is not known, and like a known one. */
function hintFor(event: string): string {
  const near = nearestEvent(event);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}

interface Breach {
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
function forbiddenRoutes({ topics }: RoutingGraph, forbidden: Forbidden): Breach[] {
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
function duplicateDeliveries({ events, topics }: RoutingGraph): Breach[] {
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
