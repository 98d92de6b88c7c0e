/** The JSON of single resources of a routing, and of its graph and check. */

import * as z from "zod";
import { breach, checkedRules, optional, text, texts } from "./parts.ts";
import { RECORDS } from "./records.ts";

const name = text("name");
const id = text("ID at the service");
const routeId = text("ID of the route between the two");

/** A record of the service, with what amp adds to it. */
function withMore(record: z.core.$ZodType, more: z.ZodRawShape) {
  return z.looseObject({ ...(record._zod.def as unknown as z.core.$ZodObjectDef).shape, ...more });
}

const reads = z
  .looseObject({ checked: z.boolean().describe("whether the reads could be searched") })
  .describe("customers' reads that deliver to the destination");

export const shownDestination = withMore(RECORDS.destination, {
  topics: optional(
    z
      .array(
        z.looseObject({ id, name: optional(name), routeId, events: optional(texts("events")) }),
      )
      .describe("topics that are routed to it"),
  ),
  reads,
});
export const shownTopic = withMore(RECORDS.topic, {
  events: optional(texts("event types that are routed to it")),
  destinations: optional(
    z
      .array(z.looseObject({ id, name: optional(name), type: optional(text("its type")), routeId }))
      .describe("destinations that it is routed to"),
  ),
});

/** An event route has `eventType`, a destination route `destinationId`. */
export const route = z.union([RECORDS.eventRoute, RECORDS.destinationRoute]);

export const deletion = z.strictObject({
  address: text("address of the resource"),
  id,
  outcome: z.enum(["deleted", "already deleted"]),
});

export const destinationSecret = z.strictObject({
  id,
  name,
  rotated: z.boolean().describe("whether this run created the secret"),
  secrets: z
    .record(z.string(), z.unknown())
    .describe("the secrets, by the names of the service; `webhookSigningKey` for a webhook"),
});

const source = {
  file: optional(text("path of the routing file; absent for the routing of a project")),
  project: optional(text("project")),
};
const reachesNoDestination = z.boolean().describe("whether nothing is delivered");
const topicNames = texts("names of topics");
const destinationNames = texts("names of destinations");
const unlisted = optional(
  texts("IDs of destinations that it is routed to and the service does not list; absent for none"),
);

export const graph = z.strictObject({
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
  topics: z
    .array(
      z.strictObject({
        name,
        id: optional(id),
        events: texts("event types that are routed to it"),
        destinations: destinationNames,
        unlisted,
        reachesNoDestination,
        receivesNoEvents: z.boolean().describe("whether no event is routed to it"),
      }),
    )
    .describe("topics"),
  destinations: z
    .array(
      z.strictObject({
        name,
        id: optional(id),
        type: optional(text("its type")),
        topics: topicNames,
        events: texts("event types that reach it"),
        receivesNoEvents: z.boolean().describe("whether no event reaches it"),
      }),
    )
    .describe("destinations"),
  unrouted: texts("known event types that are not routed"),
});

const end = z.strictObject({ name, id: optional(id), type: optional(text("its type")) });

export const trace = z.strictObject({
  event: text("event type"),
  ...source,
  known: z.boolean().describe("whether this version of amp knows the event type"),
  nearest: optional(text("nearest known event type")),
  topics: z
    .array(z.strictObject({ name, id: optional(id), destinations: z.array(end), unlisted }))
    .describe("topics that receive it"),
  destinations: destinationNames,
  reachesNoDestination,
  reason: optional(z.enum(["unknown-event", "no-topic", "no-destination"]).describe("why")),
});

export const check = z.strictObject({
  ...source,
  errors: z.number().describe("findings that are errors"),
  warnings: z.number().describe("findings that are warnings"),
  findings: z
    .array(
      z.strictObject({
        ...breach,
        event: optional(text("event type that it is about")),
        topic: optional(text("name of the topic")),
        destination: optional(text("name of the destination")),
        line: optional(z.number().describe("line in the routing file, counted from 1")),
        column: optional(z.number().describe("column, counted from 1")),
      }),
    )
    .describe("breaches of rules, in the order of the file"),
  rules: checkedRules,
  unchecked: optional(
    z
      .array(z.strictObject({ rule: breach.rule, reason: text("why") }))
      .describe("rules that could not be checked"),
  ),
  fileWarnings: optional(
    z.array(z.string()).describe("further warnings of the file (`-f`), each with line and column"),
  ),
  unavailableSecrets: optional(
    texts("references of the file whose variable is not set, or whose file does not exist"),
  ),
});
