import * as z from "zod/mini";
import { anyObject, field, identifier, openObject, optional, timestamp } from "./shape.ts";

// Records. The specification shows no field of them; these are the live platform's. Only the ID is
// required, because nothing can be routed without it. Names, types and what a route connects are
// known from the requests of the specification (2.4).

export const destination = field(
  openObject({
    id: field(identifier, "the ID of the destination"),
    name: optional(z.string(), "the name, unique in its project; reads refer to it", "spec 2.4"),
    type: optional(z.string(), "the type, such as webhook; it cannot be changed", "spec 2.4"),
    /** The metadata with the place of delivery; a Slack URL in it is a credential. */
    metadata: optional(
      anyObject,
      "where to deliver; the fields depend on the type, for example url for a webhook",
      "spec 2.4",
    ),
    createTime: optional(timestamp, "when the destination was created"),
    updateTime: optional(timestamp, "when the destination last changed"),
  }),
  "a target of notifications, and of the records that installations read",
  "platform",
);

/** A destination that is asked for its secrets; the signing secret of a webhook is one of them. */
export const destinationSecrets = openObject({
  id: identifier,
  name: optional(z.string()),
  type: optional(z.string()),
  secrets: optional(anyObject),
});

export const topic = field(
  openObject({
    id: field(identifier, "the ID of the topic"),
    name: optional(z.string(), "the name, unique in its project", "spec 2.4"),
    projectId: optional(z.string(), "the ID of the project that the topic belongs to"),
    createTime: optional(timestamp, "when the topic was created"),
    updateTime: optional(timestamp, "when the topic last changed"),
  }),
  "a topic connects event types to destinations",
  "platform",
);

export const eventRoute = field(
  openObject({
    id: field(identifier, "the ID of the event route"),
    topicId: optional(z.string(), "the ID of the topic that receives the events", "spec 2.4"),
    eventType: optional(
      z.string(),
      "the type of the events, such as installation.created; amp notify events lists them",
      "spec 2.4",
    ),
    projectId: optional(z.string(), "the ID of the project that the route belongs to"),
    createTime: optional(timestamp, "when the route was created"),
    updateTime: optional(timestamp, "when the route last changed"),
  }),
  "an event route sends the events of one type to a topic",
  "platform",
);

export const destinationRoute = field(
  openObject({
    id: field(identifier, "the ID of the destination route"),
    topicId: optional(z.string(), "the ID of the topic whose events are delivered", "spec 2.4"),
    destinationId: optional(z.string(), "the ID of the destination that receives them", "spec 2.4"),
    projectId: optional(z.string(), "the ID of the project that the route belongs to"),
    createTime: optional(timestamp, "when the route was created"),
  }),
  "a destination route delivers the events of a topic to a destination",
  "platform",
);

export const destinations = z.array(destination);
export const topics = z.array(topic);
export const eventRoutes = z.array(eventRoute);
export const destinationRoutes = z.array(destinationRoute);

// Requests: the fields of spec 4.5, no others.

/**
 * The body of a create. `secrets` is a field of the live platform: a service of the specification
 * alone never gets it.
 */
export const createDestinationBody = z.strictObject({
  name: identifier,
  type: identifier,
  metadata: anyObject,
  secrets: z.optional(anyObject),
});
export const createTopicBody = z.strictObject({ name: identifier });
export const createEventRouteBody = z.strictObject({ topicId: identifier, eventType: identifier });
export const createDestinationRouteBody = z.strictObject({
  topicId: identifier,
  destinationId: identifier,
});

/** The body of an update, which only the live platform has: what the mask names is replaced. */
export const updateDestinationBody = z.strictObject({
  updateMask: z.array(identifier).check(z.minLength(1)),
  destination: z.strictObject({
    name: z.optional(identifier),
    metadata: z.optional(anyObject),
    secrets: z.optional(anyObject),
  }),
});
export const updateTopicBody = z.strictObject({ name: identifier });

/** A place that notifications are delivered to (spec 2.4). All but `id` may be missing. */
export type Destination = z.infer<typeof destination>;
/** A topic connects event types with destinations (spec 2.4). All but `id` may be missing. */
export type Topic = z.infer<typeof topic>;
/** An event route sends an event type to a topic (spec 2.4). All but `id` may be missing. */
export type EventRoute = z.infer<typeof eventRoute>;
/**
 * A destination route sends a topic's notifications to a destination (spec 2.4). All but `id` may
 * be missing.
 */
export type DestinationRoute = z.infer<typeof destinationRoute>;
