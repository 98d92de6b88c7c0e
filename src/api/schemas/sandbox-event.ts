import * as z from "zod/mini";
import { MAX_REPEAT } from "../catalogue/events.ts";
import { anyObject, identifier, openEnum, openObject, optional, timestamp } from "./shape.ts";

/** The body that lets an event occur in a sandbox. */
export const triggerEventBody = z.strictObject({
  type: identifier,
  /** The fields of the event; absent: the sandbox makes them from one of its installations. */
  data: z.optional(anyObject),
  installationId: z.optional(identifier),
  repeat: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_REPEAT))),
});

/** The body that delivers a message again, or each message of an event. */
export const redeliverBody = z.strictObject({ id: identifier });

/** The fields of an event that has not occurred. */
export const samplePayload = openObject({ type: z.string(), data: anyObject });

const reach = openObject({
  /** Absent for a data message, which needs no topic. */
  topicId: optional(z.string()),
  topicName: optional(z.string()),
  destinationId: z.string(),
  destinationName: z.string(),
  destinationType: z.string(),
  /** Why nothing will be sent there. */
  reason: optional(z.string()),
});

/** An event that occurred, and where it goes. */
export const triggered = openObject({
  type: z.string(),
  projectId: z.string(),
  eventIds: z.array(z.string()),
  reaches: z.array(reach),
});

/** The outcomes of an attempt to deliver. */
export const ATTEMPT_OUTCOMES = ["delivered", "failed", "aborted", "not_sent"] as const;

/** One attempt to deliver a message. */
export const deliveryAttempt = openObject({
  /** Counted from 1 over all attempts of the sandbox. */
  sequence: z.int(),
  projectId: z.string(),
  messageId: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  topicId: optional(z.string()),
  destinationId: z.string(),
  destinationName: optional(z.string()),
  url: optional(z.string()),
  /** Counted from 1 for each message. */
  attempt: z.int(),
  time: timestamp,
  outcome: openEnum(ATTEMPT_OUTCOMES),
  status: optional(z.int()),
  durationMs: optional(z.int()),
  error: optional(z.string()),
  /** The first characters of an answer that was not a success. */
  response: optional(z.string()),
  /** Absent after the last attempt. */
  nextAttemptTime: optional(timestamp),
});

export const deliveryAttempts = z.array(deliveryAttempt);

/** An event that occurred in a sandbox, and where it goes. */
export type Triggered = z.infer<typeof triggered>;
/** One attempt of a sandbox to deliver a message. */
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;
