/** The JSON of listen, trigger, webhooks and the deliveries of a sandbox. */

import * as z from "zod";
import { SIGNATURE_PROBLEMS } from "../../src/events/message/signature.ts";
import { SIGNING_MISTAKES } from "../../src/events/mistakes.ts";
import { optional, text, texts, words } from "./parts.ts";

const mistakeWords = Object.fromEntries(
  Object.entries(SIGNING_MISTAKES).map(([name, way]) => [name, way.text]),
);

const signature = z
  .strictObject({
    valid: z.boolean().describe("whether the signature is valid"),
    signedAt: optional(text("time of the signature: RFC 3339")),
    problem: optional(
      words("what is wrong", {
        ...SIGNATURE_PROBLEMS,
        "header-names": "the signature matches, but the headers have other names",
        "incomplete-body": "the body has fewer bytes than its Content-Length",
      }),
    ),
    reason: optional(text("the reason as a sentence")),
    mistakes: optional(
      z
        .array(words("the signature matches only if", mistakeWords))
        .describe("known mistakes that lead to the signature; empty if none does"),
    ),
    advice: optional(texts("what to do")),
  })
  .describe("whether the signature is valid; absent where it was not examined");

/** What is the same of an attempt in all documents. */
const attempt = {
  // Open, as what a service answers: another sandbox may know more outcomes.
  outcome: text(
    "`delivered`, `failed` (another attempt may follow), `aborted` (by the response header webhook-delivery) or `not_sent` (for the reason in `error`)",
  ),
  status: optional(z.number().describe("HTTP status of the response")),
  durationMs: optional(z.number().describe("milliseconds until the response")),
  error: optional(text("why it was not delivered")),
  response: optional(text("first characters of a response that was not a success")),
};

/** A message and the attempts to deliver it, for listen, trigger and webhooks. */
export const message = z
  .strictObject({
    id: optional(text("ID of the message: its header svix-id")),
    event: optional(text("event type, or `read.message` and `subscribe.message`")),
    time: optional(text("when it arrived, if that is known: RFC 3339")),
    bytes: optional(z.int().describe("length of the body, if it is known")),
    signature: optional(signature),
    attempts: z
      .array(
        z.strictObject({
          url: optional(text("URL that it was sent to, without its query; absent for amp itself")),
          ...attempt,
        }),
      )
      .describe("attempts to deliver it; none for a captured message"),
    body: optional(z.unknown().describe("with `--verbose`: the body as JSON, or as text")),
  })
  .meta({ id: "message" });

export const verifiedCapture = z.strictObject({
  source: text("file of the request, or `standard input`"),
  valid: z.boolean().describe("whether all signatures are valid"),
  messages: z.array(message),
});

const receiverCheck = {
  name: text("name of the check, for `--check` and `--skip`"),
  kind: words("what it is about", {
    accept: "messages that a receiver must accept",
    reject: "messages that it must reject",
    behaviour: "properties of all responses",
  }),
  severity: words("severity of a failure", {
    error: "messages are lost, or forged ones are accepted",
    warning: "messages may be lost under some conditions",
  }),
};

export const receiverTest = z.strictObject({
  url: optional(text("URL of the receiver; absent with `--list`")),
  seed: optional(text("seed of the messages, for `--seed`")),
  passed: optional(z.int().describe("checks that passed")),
  warned: optional(z.int().describe("checks that neither passed nor failed")),
  failed: optional(z.int().describe("checks that failed")),
  checks: z.array(
    z.strictObject({
      ...receiverCheck,
      title: optional(text("what must hold; with `--list` only")),
      outcome: optional(
        words("the outcome", {
          pass: "the requirement is met",
          fail: "the requirement is not met",
          warn: "the requirement is met, with a remark",
          not_run: "the check could not be run",
        }),
      ),
      message: optional(text("what was seen, if it did not pass")),
      note: optional(text("a measured value of a check that passed")),
      messages: optional(z.array(message).describe("messages that were sent")),
      advice: optional(text("how to fix it")),
    }),
  ),
  diagnosis: optional(
    z.array(
      z.strictObject({
        checks: texts("names of the checks that show it"),
        says: text("what is wrong, and how to fix it"),
      }),
    ),
  ),
  again: optional(text("command that runs the failed checks again")),
});

const destination = text("destination");
const reached = z.strictObject({
  topicId: optional(text("ID of the topic; absent for a data message")),
  topicName: optional(text("name of the topic")),
  destinationId: text("ID of the destination"),
  destinationName: text("name of the destination"),
  destinationType: text("type of the destination"),
  reason: optional(text("why nothing is sent there")),
});

const occurred = z.strictObject({
  type: text("event type"),
  projectId: text("ID of the project"),
  eventIds: z.array(z.string()).describe("IDs of the events, one for each --repeat"),
  reaches: z
    .array(reached)
    .describe("deliveries of each event: one for each topic and destination"),
});

const sentMessages = z.strictObject({
  messages: z.array(message).describe("messages that were sent"),
});

const anyFields = z.record(z.string(), z.unknown());
const notification = z.strictObject({
  notificationType: text("event type"),
  data: anyFields.describe("fields of the event"),
});
const dataMessage = z.looseObject({
  action: z.enum(["read", "subscribe"]).describe("what found the data"),
  installationId: text("ID of the installation"),
});

export const triggered = z.union([
  occurred.describe("an event of a sandbox"),
  sentMessages.describe("with `--to`, or of a delivery of `--from`"),
  notification.describe("with `--print`: the body that a webhook receives"),
  dataMessage.describe("with `--print`: the body of a data message"),
]);

export const deliveryAttempt = z.strictObject({
  sequence: z.number().describe("counted from 1 over all attempts of the sandbox"),
  projectId: text("ID of the project"),
  messageId: text("value of the header svix-id; every attempt at a message has the same"),
  eventId: text("ID of the event"),
  eventType: text("event type"),
  topicId: optional(text("ID of the topic; absent for a data message")),
  destinationId: text("ID of the destination"),
  destinationName: optional(destination),
  url: optional(text("URL of the webhook")),
  attempt: z.number().describe("counted from 1 for each message"),
  time: text("time of the attempt, RFC 3339"),
  ...attempt,
  nextAttemptTime: optional(text("time of the next attempt; absent after the last")),
});
const ready = {
  ready: z.literal(true).describe("ready to receive messages"),
  url: text("URL that amp listens on"),
  publicUrl: optional(text("URL of the tunnel")),
  routing: optional(text("name of the temporary routing")),
  secrets: optional(texts("signing secrets, with `--print-secret` or if they are new")),
};

const counts = z.strictObject({
  messages: z.int().describe("messages that match the filters"),
  invalid: z.int().describe("messages without a valid signature"),
  notAccepted: z.int().describe("messages that the application did not accept"),
  others: z.int().describe("messages of other events, or excluded by `--filter`"),
  refused: z.int().describe("requests that are not messages"),
});

const kept = z.array(
  z.strictObject({ name: text("its name"), reason: text("why it was not removed") }),
);

/** With ndjson the first line, then a line for each message; with json all in one; with `--clean`. */
export const listened = z.union([
  z.strictObject({ ...ready, messages: z.array(message), counts }),
  z.strictObject(ready),
  message,
  z.strictObject({ removed: texts("names of temporary routing that was removed"), kept }),
  z.strictObject({ wouldRemove: texts("names that `--clean` without `--dry-run` removes"), kept }),
]);
