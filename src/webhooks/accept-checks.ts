import { DATA_MESSAGES, isAccepted } from "../events/message.ts";
import { MAX_BODY_BYTES } from "../events/payloads.ts";
import { SIGNATURE_HEADERS } from "../events/signature.ts";
import { SIGNING_MISTAKES } from "../events/signing-mistakes.ts";
import { numberText } from "../values/counted.ts";
import {
  answerText,
  isRedirect,
  judgeByExpectation,
  type ReceiverCheck,
  receiverCheck,
} from "./check.ts";
import type { MessageMaker } from "./messages.ts";

/** The check that all others depend on. */
export const KNOWN_EVENTS = "known-events";

/**
 * The sizes to try, because the limit of a receiver is one of few: the largest is the platform's.
 */
const SIZES = [100 * 1024, 200 * 1024, MAX_BODY_BYTES] as const;

/** The mistake that both a check alone and the diagnosis name. */
export const RESERIALISED = `The receiver verifies a body that was parsed and serialised again. ${SIGNING_MISTAKES["body-serialised-again"].advice}`;

/** A message 4 minutes old is within the 5 minutes that the signing scheme allows. */
export const RECENT_SECONDS = 4 * 60;

const { signature } = SIGNATURE_HEADERS;

/** The messages that a receiver must take: the platform sends all of them. */
export const ACCEPT_CHECKS: readonly ReceiverCheck[] = [
  receiverCheck("accept", KNOWN_EVENTS, {
    isConclusiveAlone: true,
    title: "Every event type gets a 2xx response",
    advice:
      "Return 2xx for every event type, including types that the receiver does not use. The platform resends a message until it gets a 2xx.",
    send: (make) =>
      make.events.map((event) =>
        make.taken(event, {
          event,
          body: event === make.base.event ? make.base.body : make.bodyOf(event),
        }),
      ),
    judge: judgeKnownEvents,
  }),
  receiverCheck("accept", "utf-8", {
    title: "A body with non-ASCII characters is accepted",
    advice:
      "The receiver reads the body in another encoding. Verify the unchanged bytes, and read them as UTF-8.",
    send: (make) => {
      const names = { groupName: "Zürich Öl & Gas 東京 🚀", consumerName: "Łukasz Ñandú" };
      const body = make.bodyOf(make.base.event, (data) => ({ ...data, ...names }));
      return [make.taken("a body with non-ASCII characters (UTF-8)", { body })];
    },
  }),
  receiverCheck("accept", "config-url", {
    title: "A URL instead of the config is accepted",
    advice:
      "The receiver requires data.config. A config that is too large for a message is sent as data.configURL: read it from that URL, and do not require either field.",
    send: (make) => {
      const event = "installation.updated";
      const body = make.bodyOf(event, ({ config, lastConfig, ...data }) => ({
        ...data,
        configURL: "https://storage.example.com/amp-webhook-test/config.json",
        lastConfigURL: "https://storage.example.com/amp-webhook-test/last-config.json",
      }));
      return [make.taken("configURL instead of config", { event, body })];
    },
  }),
  receiverCheck("accept", "unknown-event", {
    severity: "warning",
    title: "An event type that does not exist yet is accepted",
    advice:
      "The receiver rejects event types that it does not know. New types can appear without notice: return 2xx and ignore them.",
    send: (make) => {
      const event = "amp.test.unknown";
      const body = make.bodyOf(event);
      return [make.taken(`the unknown event type ${event}`, { event, body })];
    },
  }),
  receiverCheck("accept", "read-message", {
    title: "A data message, which has no notificationType, is accepted",
    advice:
      "The receiver requires notificationType. If a customer's read uses this destination, it also receives messages with action and result: return 2xx.",
    send: (make) => {
      const [event = ""] = Object.keys(DATA_MESSAGES);
      const body = make.dataBody();
      return [make.taken("a data message (action: read)", { event, body })];
    },
  }),
  receiverCheck("accept", "twice", {
    title: "A repeated message is accepted",
    advice:
      "The receiver rejects a message that it has received before. The platform sends a message again if a response was lost: return 2xx and ignore the duplicate.",
    send: (make) => {
      const first = make.taken("a message");
      const again = make.taken("the same message a second time", { id: first.id });
      return [first, again];
    },
  }),
  receiverCheck("accept", "300-kb", {
    title: "A body of 300 KB is accepted",
    advice: `Allow bodies of at least ${numberText(MAX_BODY_BYTES)} bytes: the platform sends up to 300 KB (Express: express.raw({ type: "application/json", limit: "350kb" }); Flask: MAX_CONTENT_LENGTH).`,
    send: (make) =>
      SIZES.map((size) =>
        make.taken(`a body of ${numberText(size)} bytes`, { body: filledBody(make, size) }),
      ),
  }),
  receiverCheck("accept", "raw-body", {
    title: "A body is verified unchanged, whatever its whitespace",
    advice: RESERIALISED,
    send: (make) => {
      const spaced = JSON.stringify(JSON.parse(make.base.body), null, 2);
      return [
        make.taken("a body with different whitespace from JSON.stringify", { body: spaced }),
        make.taken("a body that ends with a line break", {
          body: `${make.base.body}\n`,
          symptom: "trimmed-body",
        }),
      ];
    },
  }),
  receiverCheck("accept", "rotation", {
    title: "A message with two signatures is accepted, whichever of them is valid",
    advice:
      "The receiver checks only one signature. While a secret is rotated, a message has one signature for the new secret and one for the old: try each part of svix-signature.",
    send: (make) =>
      ["first", "last"].map((place) =>
        withSignatures(make, `two signatures, of which the ${place} is valid`, (own, foreign) =>
          place === "first" ? [own, foreign] : [foreign, own],
        ),
      ),
  }),
  receiverCheck("accept", "other-version", {
    severity: "warning",
    title: "A valid signature next to one of another version is accepted",
    advice:
      "The receiver fails for an unknown signature version. Skip the parts of svix-signature that do not begin with v1, and try the others.",
    send: (make) => [
      withSignatures(make, "a signature of version v2 before the one of v1", (own, foreign) => [
        foreign.replace(/^v1,/u, "v2,"),
        own,
      ]),
    ],
  }),
];

function withSignatures(
  make: MessageMaker,
  what: string,
  order: (own: string, foreign: string) => readonly string[],
) {
  return make.taken(what, {
    spoil: ({ headers, body }) => ({
      headers: {
        ...headers,
        [signature]: order(headers[signature] ?? "", make.foreignSignature(headers, body)).join(
          " ",
        ),
      },
    }),
  });
}

/** A body of exactly so many bytes: a field that no receiver knows fills it. */
function filledBody(make: MessageMaker, bytes: number): string {
  const empty = make.bodyOf(make.base.event, (data) => ({ ...data, padding: "" }));
  const missing = Math.max(0, bytes - Buffer.byteLength(empty));
  return make.bodyOf(make.base.event, (data) => ({ ...data, padding: "x".repeat(missing) }));
}

/** Names the failure by its status if no event type is accepted: other checks are inconclusive. */
function judgeKnownEvents(
  ...[own, all, name]: Parameters<ReceiverCheck["judge"]>
): ReturnType<ReceiverCheck["judge"]> {
  const taken = own.filter(isAccepted);
  if (taken.length === own.length) return { outcome: "pass", note: String(own.length) };
  const verdict = judgeByExpectation(own, all, name);
  if (verdict.outcome === "not_run") return verdict;
  const missed = own.filter((answer) => !isAccepted(answer));
  const [first] = missed;
  if (first === undefined) return verdict;
  if (taken.length > 0) {
    const names = missed.map(({ message }) => message.event).join(", ");
    return { ...verdict, message: `${answerText(first)} for ${names}` };
  }
  const { status = 0, failure } = first;
  const symptom = isRedirect(first)
    ? "redirects-all"
    : (failure?.kind ?? NO_EVENT[status] ?? `no-event-${Math.floor(status / 100)}xx`);
  const what = own.length === 1 ? first.message.event : "every event type";
  return { ...verdict, message: `${answerText(first)} for ${what}`, symptoms: [symptom] };
}

/** The statuses that say more than their class. */
const NO_EVENT: Readonly<Record<number, string>> = {
  404: "no-path",
  405: "no-method",
  415: "no-content-type",
};
