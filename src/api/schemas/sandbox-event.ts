import * as z from "zod/mini";
import { MAX_REPEAT } from "../catalogue/events.ts";
import {
  anyObject,
  field,
  identifier,
  openEnum,
  openObject,
  optional,
  passedOn,
  timestamp,
} from "./shape.ts";

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
  topicId: optional(z.string(), "ID of the topic; absent for a data message"),
  topicName: optional(z.string(), "name of the topic"),
  destinationId: field(z.string(), "ID of the destination"),
  destinationName: field(z.string(), "name of the destination"),
  destinationType: field(z.string(), "type of the destination"),
  reason: optional(z.string(), "why nothing is sent there, or not yet"),
});

/** An event that occurred, and where it goes. */
export const triggered = field(
  openObject({
    type: field(z.string(), "event type"),
    projectId: field(z.string(), "ID of the project"),
    eventIds: field(z.array(z.string()), "IDs of the events, one for each --repeat"),
    reaches: field(z.array(reach), "deliveries of each event: one for each topic and destination"),
  }),
  "an event of a sandbox",
);

/** The outcomes of an attempt to deliver. */
export const ATTEMPT_OUTCOMES = ["delivered", "failed", "aborted", "not_sent"] as const;

const OUTCOME =
  "`delivered`, `failed` (another attempt may follow), `aborted` (by the response header webhook-delivery) or `not_sent` (for the reason in `error`)";

/** One attempt to deliver a message. */
export const deliveryAttempt = openObject({
  sequence: field(z.int(), "counted from 1 over all attempts of the sandbox"),
  projectId: field(z.string(), "ID of the project"),
  messageId: field(
    z.string(),
    "value of the header svix-id; every attempt at a message has the same",
  ),
  eventId: field(z.string(), "ID of the event"),
  eventType: field(z.string(), "event type"),
  topicId: optional(z.string(), "ID of the topic; absent for a data message"),
  destinationId: field(z.string(), "ID of the destination"),
  destinationName: optional(z.string(), "name of the destination"),
  url: optional(z.string(), "URL of the webhook"),
  attempt: field(z.int(), "counted from 1 for each message"),
  time: field(timestamp, "time of the attempt, RFC 3339"),
  outcome: field(openEnum(ATTEMPT_OUTCOMES), OUTCOME),
  status: optional(z.int(), "HTTP status of the response"),
  durationMs: optional(z.int(), "milliseconds until the response"),
  error: optional(z.string(), "why it was not delivered"),
  response: optional(z.string(), "first characters of a response that was not a success"),
  nextAttemptTime: optional(timestamp, "time of the next attempt; absent after the last"),
});

export const deliveryAttempts = z.array(deliveryAttempt);

/** What was done to a sandbox. */
export const acted = openObject({
  now: optional(timestamp, "time of the sandbox"),
  world: optional(z.string(), "ID of its data"),
  name: optional(z.string(), "name of the destination"),
  destination: optional(z.string(), "its ID"),
  paused: passedOn("boolean", "whether its messages wait"),
  faults: optional(
    z.array(
      openObject({
        destination: optional(z.string(), "name of the destination; absent for all"),
        kind: field(z.string(), "`status`, `timeout` or `reset`"),
        status: optional(z.int(), "HTTP status"),
        left: field(z.int(), "deliveries"),
      }),
    ),
    "deliveries that are still to fail",
  ),
});

/** What was done to a sandbox. */
export type Acted = z.infer<typeof acted>;
/** An event that occurred in a sandbox, and where it goes. */
export type Triggered = z.infer<typeof triggered>;
/** One attempt of a sandbox to deliver a message. */
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;
