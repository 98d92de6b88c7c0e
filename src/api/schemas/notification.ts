import * as z from "zod/mini";
import { anyObject, identifier, openObject, optional, timestamp } from "./shape.ts";

// Records. The specification shows no field of them; these are the live platform's. Only the ID is
// required, because nothing can be routed without it.

export const destination = openObject({
  id: identifier,
  name: optional(z.string()),
  type: optional(z.string()),
  /** The metadata with the place of delivery; a Slack URL in it is a credential. */
  metadata: optional(anyObject),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

/** A destination that is asked for its secrets; the signing secret of a webhook is one of them. */
export const destinationSecrets = openObject({
  id: identifier,
  name: optional(z.string()),
  type: optional(z.string()),
  secrets: optional(anyObject),
});

export const topic = openObject({
  id: identifier,
  name: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

export const eventRoute = openObject({
  id: identifier,
  topicId: optional(z.string()),
  eventType: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

export const destinationRoute = openObject({
  id: identifier,
  topicId: optional(z.string()),
  destinationId: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
});

export const destinations = z.array(destination);
export const topics = z.array(topic);
export const eventRoutes = z.array(eventRoute);
export const destinationRoutes = z.array(destinationRoute);

// Requests: the fields of spec 4.5, no others.

/**
 * The body of a create. `secrets` is a field of the live platform: a service of the specification
 * alone never gets it.
 */
export const createDestination = z.strictObject({
  name: identifier,
  type: identifier,
  metadata: anyObject,
  secrets: z.optional(anyObject),
});
export const createTopic = z.strictObject({ name: identifier });
export const createEventRoute = z.strictObject({ topicId: identifier, eventType: identifier });
export const createDestinationRoute = z.strictObject({
  topicId: identifier,
  destinationId: identifier,
});

/** The body of an update, which only the live platform has: what the mask names is replaced. */
export const updateDestination = z.strictObject({
  updateMask: z.array(identifier).check(z.minLength(1)),
  destination: z.strictObject({
    name: z.optional(identifier),
    metadata: z.optional(anyObject),
    secrets: z.optional(anyObject),
  }),
});
export const updateTopic = z.strictObject({ name: identifier });

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
