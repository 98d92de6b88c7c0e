import * as z from "zod";
import { SIGNATURE_PROBLEMS } from "../../src/events/signature.ts";
import { WAYS } from "../../src/events/ways.ts";
import { optional, text, texts, words } from "./parts.ts";

const ways = Object.fromEntries(Object.entries(WAYS).map(([name, way]) => [name, way.text]));

/** Whether a signature holds, and if not why. */
const examination = {
  holds: z.boolean().describe("whether the signature holds"),
  id: optional(text("ID of the message")),
  signedAt: optional(text("time of the signature: RFC 3339")),
  problem: optional(
    words("what is wrong", {
      ...SIGNATURE_PROBLEMS,
      "header-names": "the signature matches, but its headers have other names",
    }),
  ),
  reason: optional(text("the same as a sentence")),
  ways: optional(
    z
      .array(words("the signature matches only if", ways))
      .describe("wrong ways that lead to the signature; empty where no known way does"),
  ),
  advice: optional(texts("what to do")),
};

export const verifiedCapture = z.strictObject({
  source: text("file of the request, or `standard input`"),
  holds: z.boolean().describe("whether all signatures hold"),
  requests: z.array(
    z.strictObject({
      ...examination,
      event: optional(text("event type, or `read.message` and `subscribe.message`")),
      receivedAt: optional(text("when it arrived, where the capture says so: RFC 3339")),
      bytes: z.int().describe("length of the body"),
    }),
  ),
});

const receiverCheck = {
  name: text("name of the check, for `--check` and `--skip`"),
  kind: words("what it is about", {
    takes: "messages that a receiver must take",
    refuses: "messages that it must refuse",
    behaves: "what is seen in all answers",
  }),
  severity: words("how bad a failure is", {
    error: "messages are lost, or forged ones taken",
    warning: "messages may be lost one day",
  }),
};

export const receiverTest = z.strictObject({
  url: optional(text("URL of the receiver; absent with `--list`")),
  seed: optional(text("seed of the messages, for `--seed`")),
  passed: optional(z.int().describe("checks that passed, with those that warn")),
  failed: optional(z.int().describe("checks that failed")),
  checks: z.array(
    z.strictObject({
      ...receiverCheck,
      title: optional(text("what must hold; with `--list` only")),
      outcome: optional(
        words("the outcome", {
          pass: "it holds",
          fail: "it does not hold",
          warn: "it holds, and is worth a look",
          untold: "it could not be told",
        }),
      ),
      message: optional(text("what was seen, where it did not pass")),
      note: optional(text("a number about a check that passed")),
      sent: optional(
        z.array(
          z.strictObject({
            id: text("ID of the message"),
            event: text("event type, or `read.message`"),
            bytes: z.int().describe("length of the body"),
          }),
        ),
      ),
      got: optional(
        z
          .array(
            z.strictObject({
              status: optional(z.int().describe("HTTP status; absent where no answer came")),
              ms: z.int().describe("time until the answer, in milliseconds"),
              bodyStart: optional(text("first characters of the body, without signatures")),
              failure: optional(text("why no answer came")),
            }),
          )
          .describe("the answers, in the order of `sent`"),
      ),
      advice: optional(text("how it is put right")),
    }),
  ),
  diagnosis: optional(
    z.array(
      z.strictObject({
        checks: texts("names of the checks that show it"),
        says: text("what is wrong, and how it is put right"),
      }),
    ),
  ),
  again: optional(text("command that makes the checks again that did not pass")),
});

const destination = text("destination");
const reached = z.strictObject({
  topicId: optional(text("ID of the topic; absent for a data message")),
  topicName: optional(text("name of the topic")),
  destinationId: text("ID of the destination"),
  destinationName: text("name of the destination"),
  destinationType: text("type of the destination"),
  obstacle: optional(text("why nothing is sent there")),
});

const occurred = z.strictObject({
  type: text("event type"),
  projectId: text("ID of the project"),
  eventIds: z.array(z.string()).describe("IDs of the events, one for each --repeat"),
  reaches: z.array(reached).describe("where each event goes: once for each topic and destination"),
});

const sentTest = z.strictObject({
  type: text("event type"),
  url: text("URL that the messages were sent to, without its query"),
  messages: z
    .array(
      z.strictObject({
        messageId: text("value of the header svix-id"),
        isDelivered: z.boolean().describe("whether the answer was a success"),
        status: optional(z.number().describe("HTTP status of the answer")),
        durationMs: z.number().describe("milliseconds until the answer"),
        error: optional(text("why there was no answer")),
        response: optional(text("first characters of an answer that was not a success")),
      }),
    )
    .describe("messages that were sent, one for each --repeat"),
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
  sentTest.describe("with `--to`"),
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
  // Open, as what a service answers: another sandbox may know more outcomes.
  outcome: text(
    "`delivered`, `failed` (another attempt may follow), `aborted` (by the answer's header webhook-delivery) or `not_sent` (for the reason in `error`)",
  ),
  status: optional(z.number().describe("HTTP status of the answer")),
  durationMs: optional(z.number().describe("milliseconds until the answer")),
  error: optional(text("why it was not delivered")),
  response: optional(text("first characters of an answer that was not a success")),
  nextAttemptTime: optional(text("time of the next attempt; absent after the last")),
});
const { holds, problem, reason, ways: wrongWays, advice } = examination;

const message = z.strictObject({
  time: text("when it arrived, or was sent again: RFC 3339"),
  id: optional(text("ID of the message")),
  event: optional(text("event type, or `read.message` and `subscribe.message`")),
  bytes: z.int().describe("length of the body"),
  signature: z.strictObject({ holds, problem, reason, ways: wrongWays, advice }),
  status: optional(z.int().describe("status that the sender got; absent without an answer")),
  ms: z.int().describe("time that the answer took, in milliseconds"),
  forward: optional(
    z
      .strictObject({
        url: text("URL of `--forward-to`"),
        status: optional(z.int().describe("status of its answer")),
        ms: z.int().describe("time that it took, in milliseconds"),
        bodyStart: optional(text("beginning of an answer that is not a success")),
        error: optional(text("why there was no answer")),
      })
      .describe("what the application answered"),
  ),
  body: optional(z.unknown().describe("with `--verbose`: the body as JSON, or as text")),
});

const ready = {
  ready: z.literal(true).describe("messages can come"),
  url: text("URL that amp listens on; with `--resend` the one that messages are sent to"),
  publicUrl: optional(text("URL of the tunnel")),
  routing: optional(text("name of the temporary routing")),
  secrets: optional(texts("signing secrets, with `--print-secret` or if they are new")),
};

const counts = z.strictObject({
  messages: z.int().describe("messages that were asked for"),
  invalid: z.int().describe("those without a valid signature"),
  notTaken: z.int().describe("those that the application did not take"),
  others: z.int().describe("messages of other events, or that `--filter` left out"),
  refused: z.int().describe("requests that are no messages"),
});

/** With ndjson the first line, then a line for each message; with json all in one; with `--clean`. */
export const listened = z.union([
  z.strictObject({ ...ready, messages: z.array(message), counts }),
  z.strictObject(ready),
  message,
  z.strictObject({
    removed: texts("names of temporary routing that was removed"),
    kept: z.array(z.strictObject({ name: text("its name"), reason: text("why it stays") })),
  }),
]);
