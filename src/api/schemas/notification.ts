import * as z from "zod/mini";
import { anything, identifier, openObject, optional, timestamp } from "./shape.ts";

// Records: the spec shows no field of them. The further ones are said by the live platform, and
// only the id is insisted on, for without it nothing can be routed.

/** A place that notifications are delivered to. */
export const destination = openObject({
  id: identifier,
  name: optional(z.string()),
  type: optional(z.string()),
  /** Where it delivers; a Slack URL in it is a credential. */
  metadata: optional(anything),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

/** What connects event types with destinations. */
export const topic = openObject({
  id: identifier,
  name: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

/** Lets an event type into a topic. */
export const eventRoute = openObject({
  id: identifier,
  topicId: optional(z.string()),
  eventType: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

/** Lets a topic's notifications out to a destination. */
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

// Requests: what spec 4.5 names and no more.

/** `secrets` is said by the live platform: a server of the spec alone never gets it. */
export const createDestination = z.strictObject({
  name: identifier,
  type: identifier,
  metadata: anything,
  secrets: z.optional(anything),
});
export const createTopic = z.strictObject({ name: identifier });
export const createEventRoute = z.strictObject({ topicId: identifier, eventType: identifier });
export const createDestinationRoute = z.strictObject({
  topicId: identifier,
  destinationId: identifier,
});

/** A place that notifications are delivered to (spec 2.4). All but `id` may be missing. */
export type Destination = z.infer<typeof destination>;
/** What connects event types with destinations (spec 2.4). All but `id` may be missing. */
export type Topic = z.infer<typeof topic>;
/** Lets an event type into a topic (spec 2.4). All but `id` may be missing. */
export type EventRoute = z.infer<typeof eventRoute>;
/** Lets a topic's notifications out to a destination (spec 2.4). All but `id` may be missing. */
export type DestinationRoute = z.infer<typeof destinationRoute>;
/** What creates a destination. */
export type CreateDestination = z.infer<typeof createDestination>;
/** What creates a topic. */
export type CreateTopic = z.infer<typeof createTopic>;
/** What creates a notification-event-topic route. */
export type CreateEventRoute = z.infer<typeof createEventRoute>;
/** What creates a topic-destination route. */
export type CreateDestinationRoute = z.infer<typeof createDestinationRoute>;
