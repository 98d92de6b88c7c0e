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
