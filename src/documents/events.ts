/** The JSON of listen, trigger, webhooks and the deliveries of a sandbox. */

import * as z from "zod";
import { acted, deliveryAttempt, triggered } from "../api/schemas/sandbox-event.ts";
import { SIGNATURE_PROBLEMS } from "../events/message/signature.ts";
import { SIGNING_MISTAKES, type SigningMistake } from "../events/message/signing-mistakes.ts";
import { commandLine, type DocumentOf, maybe, string, strings, words } from "./parts.ts";

const mistakeWords = Object.fromEntries(
  Object.entries(SIGNING_MISTAKES).map(([name, way]) => [name, way.text]),
) as Record<SigningMistake, string>;

const signature = z.strictObject({
  valid: z.boolean().describe("whether the signature is valid"),
  signedAt: maybe(string("time of the signature: RFC 3339")),
  problem: maybe(
    words("what is wrong", {
      ...SIGNATURE_PROBLEMS,
      "header-names": "the signature matches, but the headers have other names",
      "incomplete-body": "the body has fewer bytes than its Content-Length",
    }),
  ),
  reason: maybe(string("the reason as a sentence")),
  mistakes: maybe(
    z
      .array(words("the signature matches only if", mistakeWords))
      .describe("known mistakes that lead to the signature; empty if none does"),
  ),
  advice: maybe(strings("what to do")),
});

/** Whether the signature of a message is valid, and if not why. */
export type SignatureVerdict = DocumentOf<typeof signature>;

const messageAttempt = z.strictObject({
  url: maybe(string("URL that it was sent to, without its query; absent for amp itself")),
  // Open, as what a service answers: another sandbox may know more outcomes.
  outcome: string(
    "`delivered`, `failed`, or an outcome that only a sandbox knows: `aborted` and `not_sent`",
  ),
  status: maybe(z.number().describe("HTTP status of the response")),
  durationMs: maybe(z.number().describe("milliseconds until the response")),
  error: maybe(string("why it was not delivered")),
  response: maybe(string("first characters of a response that was not a success")),
});

/** One attempt to deliver a message, with the words of a sandbox. */
export type MessageAttempt = DocumentOf<typeof messageAttempt>;

const message = z.strictObject({
  id: maybe(string("ID of the message: its header svix-id")),
  event: maybe(string("event type, or `read.message` and `subscribe.message`")),
  time: maybe(string("when it arrived, if that is known: RFC 3339")),
  bytes: maybe(z.int().describe("length of the body, if it is known")),
  signature: maybe(
    signature.describe("whether the signature is valid; absent where it was not examined"),
  ),
  attempts: z.array(messageAttempt).describe("attempts to deliver it; none for a captured message"),
  body: maybe(z.unknown().describe("with `--verbose`: the body as JSON, or as text")),
});

/** A message and the attempts to deliver it as JSON and pages show it: nothing of its headers. */
export type DeliveryDocument = DocumentOf<typeof message>;

const verifiedCapture = z.strictObject({
  source: string("file of the request, or `standard input`"),
  valid: z.boolean().describe("whether all signatures are valid"),
  messages: z.array(message),
});

/** The messages of a capture; it is valid if all of their signatures are. */
export type VerifiedCapture = DocumentOf<typeof verifiedCapture>;

const receiverCheck = {
  name: string("name of the check, for `--check` and `--skip`"),
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

const testedCheck = z.strictObject({
  ...receiverCheck,
  outcome: words("the outcome", {
    pass: "the requirement is met",
    fail: "the requirement is not met",
    warn: "the requirement is met, with a remark",
    not_run: "the check could not be run",
  }),
  message: maybe(string("what was seen, if it did not pass; or why it was not run")),
  observed: maybe(
    z
      .strictObject({
        response: string("the response in a few words, such as `204`"),
        status: maybe(z.int().describe("its HTTP status, if there was one")),
        to: string("what it answered, such as `a message without a signature`"),
      })
      .describe("the parts of `message`, where it is about a response"),
  ),
  answer: maybe(string("the start of the receiver's own words about it")),
  note: maybe(string("a measured value of a check that passed")),
  messages: z.array(message).describe("messages that were sent"),
  advice: maybe(string("how to fix it, if it did not pass")),
});

/** The result of one check. */
export type TestedCheck = DocumentOf<typeof testedCheck>;

/** What became of a check. */
export type CheckOutcome = TestedCheck["outcome"];

const receiverDiagnosis = z.strictObject({
  checks: strings("names of the checks that show it"),
  says: string("what is wrong, and how to fix it"),
});

/** A mistake of a receiver, and the checks that show it. */
export type ReceiverDiagnosis = DocumentOf<typeof receiverDiagnosis>;

const testedReceiver = z.strictObject({
  url: string("URL of the receiver"),
  seed: string("seed of the messages, for `--seed`"),
  passed: z.int().describe("checks that passed"),
  warned: z.int().describe("checks that neither passed nor failed"),
  failed: z.int().describe("checks that failed"),
  checks: z.array(testedCheck),
  diagnosis: z.array(receiverDiagnosis),
  again: maybe(commandLine("command that runs the failed checks again")),
});

/** A test of a receiver, with the command that makes the checks that did not pass again. */
export type ShownReceiverTest = DocumentOf<typeof testedReceiver>;

const listedChecks = z.strictObject({
  checks: z.array(
    z.strictObject({
      ...receiverCheck,
      title: string("what must hold"),
      advice: string("how to fix it"),
    }),
  ),
});

/** The checks alone, for `--list`. */
export type CheckList = DocumentOf<typeof listedChecks>;

const receiverTest = z.union([testedReceiver, listedChecks.describe("with `--list`")]);

const sentMessages = z.strictObject({
  messages: z.array(message).describe("messages that were sent"),
});

/** The messages that amp sent itself. */
export type SentMessages = DocumentOf<typeof sentMessages>;

const anyFields = z.record(z.string(), z.unknown());
const notification = z.strictObject({
  notificationType: string("event type"),
  data: anyFields.describe("fields of the event"),
});
const dataMessage = z.looseObject({
  action: z.enum(["read", "subscribe"]).describe("what found the data"),
  installationId: string("ID of the installation"),
});

const shownEvent = z.union([
  triggered,
  sentMessages.describe("with `--to`, or of a delivery of `--from`"),
  notification.describe("with `--print`: the body that a webhook receives"),
  dataMessage.describe("with `--print`: the body of a data message"),
]);

const ready = z.strictObject({
  ready: z.literal(true).describe("ready to receive messages"),
  url: string("URL that amp listens on"),
  publicUrl: maybe(string("URL of the tunnel")),
  routing: maybe(string("name of the temporary routing")),
  secrets: maybe(strings("signing secrets, with `--print-secret` or if they are new")),
});

const counts = z.strictObject({
  messages: z.int().describe("messages that match the filters"),
  invalid: z.int().describe("messages without a valid signature"),
  notAccepted: z.int().describe("messages that the application did not accept"),
  others: z.int().describe("messages of other events, or excluded by `--filter`"),
  refused: z.int().describe("requests that are not messages"),
});

/** How many requests came to what. */
export type ListenCounts = DocumentOf<typeof counts>;

const kept = z.array(
  z.strictObject({ name: string("its name"), reason: string("why it was not removed") }),
);

/** With ndjson the first line, then a line for each message; with json all in one; with `--clean`. */
const listened = z.union([
  z.strictObject({ ...ready.shape, messages: z.array(message), counts }),
  ready,
  message,
  z.strictObject({ removed: strings("names of temporary routing that was removed"), kept }),
  z.strictObject({
    wouldRemove: strings("names that `--clean` without `--dry-run` removes"),
    kept,
  }),
]);

/** These documents, by name. */
export const EVENT_DOCUMENTS = {
  message,
  listened,
  verifiedCapture,
  receiverTest,
  shownEvent,
  shownAttempt: deliveryAttempt,
  acted,
} as const;
