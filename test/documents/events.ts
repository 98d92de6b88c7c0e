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
