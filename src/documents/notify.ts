/** The JSON of single resources of a routing, and of its graph and check. */

import * as z from "zod";
import { destination, destinationRoute, eventRoute, topic } from "../api/schemas/notification.ts";
import type { Entry } from "../notify/state/state.ts";
import {
  breach,
  checkedRules,
  type DocumentOf,
  fileRun,
  maybe,
  string,
  strings,
  words,
} from "./parts.ts";
import { madeBy, RESOURCE_FIELDS as resource } from "./routing.ts";

const name = string("name");
const id = string("ID at the service");
const routeId = string("ID of the route between the two");

/** A record of the service, with what amp adds to it. */
function withMore(record: z.core.$ZodType, more: z.ZodRawShape) {
  return z.looseObject({ ...(record._zod.def as unknown as z.core.$ZodObjectDef).shape, ...more });
}

const feedingTopic = z.strictObject({
  id,
  name: maybe(name),
  routeId,
  events: maybe(strings("events")),
});

/** A topic that leads to a destination; without events where event routes cannot be listed. */
export type FeedingTopic = DocumentOf<typeof feedingTopic>;

const fedDestination = z.strictObject({
  id,
  name: maybe(name),
  type: maybe(string("its type")),
  routeId,
});

/** A destination that receives the notifications of a topic. */
export type FedDestination = DocumentOf<typeof fedDestination>;

const reads = z
  .looseObject({ checked: z.boolean().describe("whether the reads could be searched") })
  .describe("customers' reads that deliver to the destination");

const shownDestination = withMore(destination, {
  topics: maybe(z.array(feedingTopic).describe("topics that are routed to it")),
  reads,
});
const shownTopic = withMore(topic, {
  events: maybe(strings("event types that are routed to it")),
  destinations: maybe(z.array(fedDestination).describe("destinations that it is routed to")),
});

/** An event route has `eventType`, a destination route `destinationId`. */
const route = z.union([eventRoute, destinationRoute]);

const ownerText = z.string() as unknown as z.ZodType<Entry["owner"]>;

const stateEntry = z.strictObject({
  address: resource.address,
  kind: resource.kind,
  id: maybe(resource.id),
  made: madeBy,
  owner: ownerText.describe(
    "who may change it: `file:NAME`, `nameless` (a file without name) or `person` (a single command)",
  ),
  alsoIn: maybe(strings("names of the other files that declare it")),
  time: maybe(string("when amp last did something with it, RFC 3339; absent if it only found it")),
  unknown: maybe(
    z
      .enum(["create", "update", "delete", "rotation"])
      .describe("what was begun, and whose outcome is unknown"),
  ),
});

/** A resource in the state. */
export type ListedEntry = DocumentOf<typeof stateEntry>;

const recordedRun = z.strictObject({
  run: string("ID of the run, for `amp notify undo`"),
  time: string("when it began, RFC 3339"),
  who: maybe(string("user and process, as far as known")),
  command: maybe(string("command line, without secrets")),
  routing: maybe(string("name of the routing")),
  undoes: maybe(string("ID of the run that it undoes")),
  counts: z
    .strictObject({ created: z.int(), updated: z.int(), deleted: z.int() })
    .describe("number of its changes"),
  changes: z
    .array(
      z.strictObject({
        action: z.enum(["created", "updated", "deleted"]),
        address: resource.address,
        id: resource.id,
      }),
    )
    .describe("what it changed at the service"),
  complete: z.boolean().describe("whether all its changes are kept; if not, it cannot be undone"),
});

/** A run that changed resources. */
export type HistoryRow = DocumentOf<typeof recordedRun>;

const checked = z
  .boolean()
  .describe("whether the ID was found in the list of the service; false without a list");
const imported = z.strictObject({ address: resource.address, id: resource.id, checked });

/** A resource that was added to the state. */
export type ImportedResource = DocumentOf<typeof imported>;

const resolved = z.strictObject({
  address: string("address of the outcome, as it was typed"),
  created: z.boolean().describe("whether the resource exists; false if it was not created"),
  id: maybe(resource.id),
  checked: maybe(checked),
});

/** An unknown outcome that was resolved. */
export type ResolvedOutcome = DocumentOf<typeof resolved>;

const forgotten = z.strictObject({ address: resource.address });
const unlocked = z.strictObject({ lock: string("ID of the lock that was removed") });
const pushed = z.strictObject({
  lineage: string("ID of the state"),
  serial: z.int().describe("version under which it was saved"),
});
const eventType = z.strictObject({
  name: string("event type"),
  area: string("what it is about"),
  fires: string("what triggers it"),
  source: string("source of the entry"),
  more: maybe(string("further facts")),
});

const deletion = z.strictObject({
  address: string("address of the resource"),
  id,
  outcome: z.enum(["deleted", "already deleted"]),
});

/** A resource that was deleted. */
export type DeletedResource = DocumentOf<typeof deletion>;

const destinationSecret = z.strictObject({
  id,
  name,
  rotated: z.boolean().describe("whether this run created the secret"),
  secrets: z
    .record(z.string(), z.unknown())
    .describe("the secrets, by the names of the service; `webhookSigningKey` for a webhook"),
});

/** The secrets of a destination. */
export type ShownSecrets = DocumentOf<typeof destinationSecret>;

const source = {
  file: maybe(string("path of the routing file; absent for the routing of a project")),
  project: maybe(string("project")),
};
const reachesNoDestination = z.boolean().describe("whether nothing is delivered");
const topicNames = strings("names of topics");
const destinationNames = strings("names of destinations");
const unlisted = maybe(
  strings(
    "IDs of destinations that it is routed to and the service does not list; absent for none",
  ),
);

const graphTopic = z.strictObject({
  name,
  id: maybe(id),
  events: strings("event types that are routed to it"),
  destinations: destinationNames,
  unlisted,
  reachesNoDestination,
  receivesNoEvents: z.boolean().describe("whether no event is routed to it"),
});

/** A topic with what flows in and out of it. */
export type TopicNode = DocumentOf<typeof graphTopic>;

const graphDestination = z.strictObject({
  name,
  id: maybe(id),
  type: maybe(string("its type")),
  topics: topicNames,
  events: strings("event types that reach it"),
  receivesNoEvents: z.boolean().describe("whether no event reaches it"),
});

/** A destination with what flows into it. */
export type DestinationNode = DocumentOf<typeof graphDestination>;

const graph = z.strictObject({
  ...source,
  events: z
    .array(
      z.strictObject({
        name,
        known: z.boolean().describe("whether this version of amp knows the event type"),
        topics: topicNames,
        destinations: destinationNames,
        reachesNoDestination,
      }),
    )
    .describe("event types that are routed"),
  topics: z.array(graphTopic).describe("topics"),
  destinations: z.array(graphDestination).describe("destinations"),
  unrouted: strings("known event types that are not routed"),
});

/** A routing as a graph, and where it comes from. */
export type GraphResult = DocumentOf<typeof graph>;

/** The place that a routing comes from: a file, or the lists of a project. */
export type RoutingSource = Pick<GraphResult, "file" | "project">;

/**
 * A routing as a graph: event types flow into topics, topics into destinations. Within its kind a
 * name is unique. Where it comes from, a file or a service, makes no difference.
 */
export type RoutingGraph = Omit<GraphResult, keyof RoutingSource>;

const end = z.strictObject({ name, id: maybe(id), type: maybe(string("its type")) });

const trace = z.strictObject({
  event: string("event type"),
  ...source,
  known: z.boolean().describe("whether this version of amp knows the event type"),
  nearest: maybe(string("nearest known event type")),
  topics: z
    .array(z.strictObject({ name, id: maybe(id), destinations: z.array(end), unlisted }))
    .describe("topics that receive it"),
  destinations: destinationNames,
  reachesNoDestination,
  reason: maybe(
    z
      .enum(["unknown-event", "no-topic", "no-destination", "data-message"])
      .describe("why; a data-message needs no topic"),
  ),
});

/** The way of an event through a routing. */
export type EventTrace = DocumentOf<typeof trace>;

const checkFinding = z.strictObject({
  ...breach,
  event: maybe(string("event type that it is about")),
  topic: maybe(string("name of the topic")),
  destination: maybe(string("name of the destination")),
  line: maybe(z.number().describe("line in the routing file, counted from 1")),
  column: maybe(z.number().describe("column, counted from 1")),
});

/** A breach of a rule, with its place in the file. `valid-file` is in reports, and then alone. */
export type CheckFinding = DocumentOf<typeof checkFinding>;

const check = z.strictObject({
  ...source,
  errors: z.number().describe("findings that are errors"),
  warnings: z.number().describe("findings that are warnings"),
  findings: z.array(checkFinding).describe("breaches of rules, in the order of the file"),
  rules: checkedRules,
  unchecked: z
    .array(z.strictObject({ rule: breach.rule, reason: string("why") }))
    .describe("rules that could not be checked"),
  fileWarnings: maybe(strings("further warnings of the file (`-f`), each with line and column")),
  unavailableSecrets: maybe(
    strings("references of the file whose variable is not set, or whose file does not exist"),
  ),
});

/** The result of a check of a routing. */
export type CheckResult = DocumentOf<typeof check>;

const checks = z.strictObject({
  files: z
    .array(z.strictObject({ ...fileRun, check: maybe(check) }))
    .describe("several `-f`: each file with its check, in their order"),
});

/** The checks of several files. */
export type ChecksResult = DocumentOf<typeof checks>;

const expectation = z.strictObject({
  text: string("the expectation as a sentence"),
  met: z.boolean().describe("whether it is met"),
  message: maybe(string("why it is not met")),
  line: z.int().describe("line of the expectation, from 1"),
});

/** An expectation of a case, and whether it is met. */
export type JudgedExpectation = DocumentOf<typeof expectation>;

const caseResult = z.strictObject({
  name: string("name of the case; without one its event and fields"),
  file: string("case file"),
  line: z.int().describe("line of the case, from 1"),
  when: string("event type that was triggered"),
  outcome: words("the outcome", {
    pass: "all expectations are met",
    fail: "an expectation is not met",
  }),
  ms: z.int().describe("how long it took, in milliseconds"),
  expectations: z.array(expectation),
});

/** What became of a case. */
export type CaseResult = DocumentOf<typeof caseResult>;

const routingTest = z.strictObject({
  file: string("routing file"),
  passed: z.int().describe("cases that passed"),
  failed: z.int().describe("cases that failed"),
  cases: z.array(caseResult),
  assumedWebhooks: strings("names of destinations whose type the file does not specify"),
});

/** The result of a test of a routing. */
export type RoutingTest = DocumentOf<typeof routingTest>;

/** These documents, by name. */
export const NOTIFY_DOCUMENTS = {
  stateEntry,
  recordedRun,
  imported,
  resolved,
  forgotten,
  unlocked,
  pushed,
  eventType,
  shownDestination,
  shownTopic,
  route,
  deletion,
  destinationSecret,
  graph,
  trace,
  check,
  checks,
  routingTest,
} as const;
