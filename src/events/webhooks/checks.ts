import { numberText } from "../../values/counted.ts";
import { DATA_MESSAGES, isAccepted, MAX_BODY_BYTES } from "../message/payloads.ts";
import { SIGNATURE_HEADERS } from "../message/signature.ts";
import {
  FORGED_ALONE,
  forgedKinds,
  forgedMessage,
  halfSigned,
  type MessageMaker,
  type TestMessage,
} from "./messages.ts";
import {
  answerText,
  type CheckVerdict,
  isPageForAll,
  isRedirect,
  judgeByExpectation,
  OTHER_ENCODING,
  observation,
  PLAIN,
  RESERIALISED,
  type ReceiverAnswer,
  TOO_SMALL,
} from "./verdicts.ts";

/** A check of a receiver. */
export interface ReceiverCheck {
  readonly name: string;
  /** Its subject: messages to accept, messages to reject, or how the receiver behaves. */
  readonly kind: "accept" | "reject" | "behaviour";
  /** If it fails: messages are lost or forged ones taken, or they may be one day. */
  readonly severity: "error" | "warning";
  /** Requirement, as a sentence without full stop. */
  readonly title: string;
  /** The mistake if this check alone fails, and how to fix it. */
  readonly advice: string;
  readonly send: (make: MessageMaker) => readonly TestMessage[];
  /**
   * @param own the answers to the messages of this check
   * @param all the answers to all messages so far
   */
  readonly judge: (
    own: readonly ReceiverAnswer[],
    all: readonly ReceiverAnswer[],
    name: string,
  ) => CheckVerdict;
}

function receiverCheck(
  kind: ReceiverCheck["kind"],
  name: string,
  facts: Pick<ReceiverCheck, "title" | "advice"> & Partial<ReceiverCheck>,
): ReceiverCheck {
  return { name, kind, severity: "error", send: () => [], judge: judgeByExpectation, ...facts };
}

/** The check that all others depend on. */
export const KNOWN_EVENTS = "known-events";

/**
 * The sizes to try, because the limit of a receiver is one of few: the largest is the platform's.
 */
const SIZES = [100 * 1024, 200 * 1024, MAX_BODY_BYTES] as const;

/** A message 4 minutes old is within the 5 minutes that the signing scheme allows. */
const RECENT_SECONDS = 4 * 60;

const { id, timestamp, signature } = SIGNATURE_HEADERS;

/** The messages that a receiver must take: the platform sends all of them. */
const ACCEPT_CHECKS: readonly ReceiverCheck[] = [
  receiverCheck("accept", KNOWN_EVENTS, {
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
    advice: OTHER_ENCODING,
    send: (make) => {
      const names = { groupName: "Zürich Öl & Gas 東京 🚀", consumerName: "Łukasz Ñandú" };
      const body = make.bodyOf(make.base.event, (data) => ({ ...data, ...names }));
      return [
        make.taken("a body with non-ASCII characters (UTF-8)", { body }),
        // Of three bytes each, so that a part in which a body arrives ends within one of them.
        ...["", "x"].map((before) =>
          make.taken("a large body with non-ASCII characters", {
            body: withPadding(make, before + "東".repeat(30_000)),
            symptom: "split-character",
          }),
        ),
      ];
    },
  }),
  receiverCheck("accept", "config-url", {
    title: "A URL instead of the config is accepted",
    advice:
      "The receiver requires data.config. A config that is too large for a message is sent as data.configURL: read it from that URL, and do not require either field.",
    send: (make) => {
      const folder = "https://storage.example.com/amp-webhook-test";
      return ["installation.updated", "installation.created"].map((event) => {
        const body = make.bodyOf(event, ({ config, lastConfig, ...data }) => ({
          ...data,
          configURL: `${folder}/config.json`,
          ...(lastConfig === undefined ? {} : { lastConfigURL: `${folder}/last-config.json` }),
        }));
        return make.taken(`configURL instead of config in ${event}`, { event, body });
      });
    },
    judge: (own, all, name) => {
      // An event type that is rejected anyway says nothing about its config.
      const isRejected = ({ message: { event } }: ReceiverAnswer) =>
        all.some(
          ({ message, status }) =>
            message.check === KNOWN_EVENTS && message.event === event && !isAccepted({ status }),
        );
      const telling = own.filter((answer) => isAccepted(answer) || !isRejected(answer));
      return telling.length > 0
        ? judgeByExpectation(telling, all, name)
        : { outcome: "not_run", message: `${KNOWN_EVENTS} failed` };
    },
  }),
  receiverCheck("accept", "unknown-event", {
    severity: "warning",
    title: "An event type or a field that does not exist yet is accepted",
    advice:
      "The receiver rejects event types that it does not know. New types can appear without notice: return 2xx and ignore them.",
    send: (make) => {
      const event = "amp.test.unknown";
      const body = make.bodyOf(event);
      const { data, ...rest } = JSON.parse(make.base.body) as { readonly data?: object };
      const field = { ampTestField: "new" };
      return [
        make.taken(`the unknown event type ${event}`, { event, body }),
        make.taken("fields that do not exist yet (ampTestField)", {
          body: JSON.stringify({ ...rest, ...field, data: { ...data, ...field } }),
          symptom: "unknown-field",
        }),
      ];
    },
  }),
  receiverCheck("accept", "read-message", {
    title: "A data message, which has no notificationType, is accepted",
    advice:
      "The receiver rejects data messages, for example because it requires notificationType. If a customer's read uses this destination, it also receives messages with action and result: return 2xx.",
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
      const first = make.taken("a message", { symptom: PLAIN });
      const { id: own, body } = first;
      return [
        first,
        make.taken("the same message a second time", { id: own, body }),
        make.taken("a new message with the same body", { body, symptom: "same-body" }),
      ];
    },
  }),
  receiverCheck("accept", "300-kb", {
    title: "A body of 300 KB is accepted",
    advice: TOO_SMALL,
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
    send: (make) => [
      make.taken("two signatures, of which the first is valid", {
        changed: (own, foreign) => ({ [signature]: `${own[signature]} ${foreign}` }),
        symptom: "first-of-two",
      }),
      make.taken("two signatures, of which the last is valid", {
        changed: (own, foreign) => ({ [signature]: `${foreign} ${own[signature]}` }),
      }),
    ],
  }),
  receiverCheck("accept", "charset", {
    severity: "warning",
    title: "A content type with a charset is accepted",
    advice:
      "The receiver requires that the content type is application/json and nothing else. Compare only the part before the semicolon: what is in front of the receiver may add a charset.",
    send: (make) => [
      make.taken("the content type application/json; charset=utf-8", {
        changed: () => ({ "content-type": "application/json; charset=utf-8" }),
      }),
    ],
  }),
  receiverCheck("accept", "other-version", {
    severity: "warning",
    title: "A valid signature next to one of another version is accepted",
    advice:
      "The receiver fails for an unknown signature version. Skip the parts of svix-signature that do not begin with v1, and try the others.",
    send: (make) => [
      make.taken("a signature of version v2 before the one of v1", {
        changed: (own, foreign) => ({
          [signature]: `${foreign.replace(/^v1,/u, "v2,")} ${own[signature]}`,
        }),
      }),
    ],
  }),
];

/** A body of exactly so many bytes. */
function filledBody(make: MessageMaker, bytes: number): string {
  const missing = Math.max(0, bytes - Buffer.byteLength(withPadding(make, "")));
  return withPadding(make, "x".repeat(missing));
}

/** A body with a field that no receiver knows. */
function withPadding(make: MessageMaker, padding: string): string {
  return make.bodyOf(make.base.event, (data) => ({ ...data, padding }));
}

/** Names the failure by its status if no event type is accepted: other checks are inconclusive. */
function judgeKnownEvents(
  ...[own, all, name]: Parameters<ReceiverCheck["judge"]>
): ReturnType<ReceiverCheck["judge"]> {
  const [page] = own;
  const every = own.length === 1 ? page?.message.event : "every event type";
  if (page !== undefined && isPageForAll(all)) {
    const message = `${page.status} and a web page for ${every}, and for messages without a signature`;
    return { outcome: "fail", message, answer: page.said, symptoms: ["page"] };
  }
  const taken = own.filter(isAccepted);
  const verdict = judgeByExpectation(own, all, name);
  if (verdict.outcome === "pass") return { ...verdict, note: String(own.length) };
  if (verdict.outcome !== "fail") return verdict;
  const missed = own.filter((answer) => !isAccepted(answer));
  const [first] = missed;
  if (first === undefined) return verdict;
  if (taken.length > 0) {
    const names = missed.map(({ message }) => message.event).join(", ");
    return { ...verdict, ...observation(first, names) };
  }
  const forged = all.find(({ message }) => message.check === FORGED_ALONE);
  if (forged?.status !== undefined && forged.status !== first.status) {
    const to = `${every}, but ${answerText(forged)} for ${forged.message.what}`;
    return { ...verdict, ...observation(first, to), symptoms: ["no-event-signed"] };
  }
  const { status = 0, failure } = first;
  const seen = observation(first, every);
  const unsigned = all.find(({ message }) => message.check === UNSIGNED);
  if (/\bheader/iu.test(first.said ?? "") && first.said === unsigned?.said) {
    return { ...verdict, ...seen, symptoms: ["no-event-headers"] };
  }
  const symptom = isRedirect(first)
    ? "redirects-all"
    : (failure?.kind ?? NO_EVENT[status] ?? `no-event-${Math.floor(status / 100)}xx`);
  return { ...verdict, ...seen, symptoms: [symptom] };
}

/** The statuses that say more than their class. */
const NO_EVENT: Readonly<Record<number, string>> = {
  404: "no-path",
  405: "no-method",
  415: "no-content-type",
};

/** The check whose first message has no signature. */
export const UNSIGNED = "unsigned";

const HOUR = 3600;

/** The messages that a receiver must refuse: the platform sends none of them, an attacker may. */
const REJECT_CHECKS: readonly ReceiverCheck[] = [
  receiverCheck("reject", "tampered", {
    title: "A body that was changed after signing is rejected",
    advice:
      "The receiver accepts a body that does not match its signature. Verify the signature over the unchanged bytes.",
    send: (make) => [
      make.refused("a body that was changed after signing", {
        spoil: ({ body }) => ({ body: changedBody(body, make.below(1000)) }),
      }),
    ],
  }),
  receiverCheck("reject", "wrong-key", {
    title: "A signature made with another secret is rejected",
    advice:
      "The receiver accepts a signature made with a secret that it does not have. Compare it with the signature that you compute with the secret.",
    send: (make) => [forgedMessage(make), ...halfSigned(make), ...forgedKinds(make)],
  }),
  receiverCheck("reject", UNSIGNED, {
    title: "A message without a signature is rejected",
    advice:
      "The receiver accepts a message without a signature. Reject messages without svix-id, svix-timestamp or svix-signature.",
    send: (make) => [
      make.refused("a message without a signature", { spoil: () => ({ headers: {} }) }),
      make.refused("an empty signature", { changed: () => ({ [signature]: "v1," }) }),
    ],
  }),
  receiverCheck("reject", "stale", {
    title: "A message signed an hour ago is rejected, one signed 4 minutes ago is accepted",
    advice:
      "The receiver accepts old messages, so a captured message can be replayed. Reject a svix-timestamp (in seconds) that is more than 5 minutes old.",
    send: (make) => [
      make.refused("a message signed an hour ago", { age: HOUR }),
      make.taken("a message signed 4 minutes ago", {
        age: RECENT_SECONDS,
        symptom: "too-strict",
      }),
    ],
  }),
  receiverCheck("reject", "future", {
    title: "A message signed an hour in the future is rejected, one 30 s ahead is accepted",
    advice:
      "The receiver accepts messages from the future. Reject a svix-timestamp that is more than 5 minutes ahead.",
    send: (make) => [
      make.refused("a message signed an hour in the future", { age: -HOUR }),
      make.taken("a message signed 30 s in the future", {
        age: -30,
        symptom: "too-strict-ahead",
      }),
    ],
  }),
  receiverCheck("reject", "swapped-id", {
    title: "A signature of another message ID or time is rejected, also after the original",
    advice:
      "The receiver accepts the signature of another message ID or time, for example because it remembers signatures that were valid. Compute the signature of each message over svix-id, a dot, svix-timestamp, a dot and the body.",
    send: (make) => {
      const original = make.taken("a message", { symptom: PLAIN });
      const { id: own, body } = original;
      return [
        original,
        make.refused("the signature of another message ID", {
          id: own,
          body,
          changed: () => ({ [id]: `${own}x` }),
        }),
        make.refused("the signature of another time", {
          changed: (signed) => ({ [timestamp]: String(Number(signed[timestamp]) - 1) }),
        }),
      ];
    },
  }),
];

/** The body with one letter of a value changed, so that it is valid JSON still. */
function changedBody(body: string, at: number): string {
  const letters = [...body.matchAll(/(?<=:")[a-y]/gu)];
  const letter = letters[at % Math.max(1, letters.length)];
  if (letter === undefined) return `${body} `;
  const next = String.fromCharCode(letter[0].charCodeAt(0) + 1);
  return body.slice(0, letter.index) + next + body.slice(letter.index + 1);
}

/** From here on a receiver is slow enough that a busy day makes it too slow. */
const SLOW_MS = 5_000;

/** The checks of the answers to all messages; they send none of their own. */
const BEHAVIOUR_CHECKS: readonly ReceiverCheck[] = [
  receiverCheck("behaviour", "no-redirect", {
    title: "No response is a redirect",
    advice:
      "The receiver redirects. The platform does not follow redirects, and counts a 3xx as a failure: register the URL that it redirects to.",
    judge: (_own, all) => {
      const redirect = all.find(isRedirect);
      if (redirect === undefined) return { outcome: "pass" };
      return { outcome: "fail", ...observation(redirect), symptoms: ["no-redirect"] };
    },
  }),
  receiverCheck("behaviour", "in-time", {
    title: "Every response arrives within 15 s",
    advice:
      "The receiver processes the message before it responds. After 15 s the platform counts a failure and sends the message again: respond first, then process the message.",
    judge: (_own, all) => {
      const taken = all.filter(({ message }) => message.expect === "take");
      const late = taken.find(({ failure }) => failure?.kind === "late");
      if (late !== undefined) return { outcome: "fail", ...observation(late), symptoms: ["late"] };
      const note = `p95 ${timeText(percentile95(taken))}`;
      if (percentile95(taken) <= SLOW_MS) return { outcome: "pass", note };
      const message = `${note}: the platform waits 15 s`;
      return { outcome: "warn", message, symptoms: ["slow"] };
    },
  }),
  receiverCheck("behaviour", "no-delivery-control", {
    title: "No response controls the deliveries of the platform",
    advice:
      "The receiver sends the header webhook-delivery, which makes the platform disable the destination or drop the message. Remove the header.",
    judge: (_own, all) => {
      const controlling = all.find(({ control }) => control !== undefined);
      if (controlling === undefined) return { outcome: "pass" };
      const header = `webhook-delivery: ${controlling.control}`;
      return {
        outcome: "fail",
        message: `the header ${header} in the response to ${controlling.message.what}`,
        symptoms: ["no-delivery-control"],
      };
    },
  }),
];

/** The time within which 95 of 100 answers came, in milliseconds. */
function percentile95(answers: readonly ReceiverAnswer[]): number {
  const sorted = answers.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
}

function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** All checks, in the order in which they are made and shown. */
export const CHECKS: readonly ReceiverCheck[] = [
  ...ACCEPT_CHECKS,
  ...REJECT_CHECKS,
  ...BEHAVIOUR_CHECKS,
];

/** The names of the checks. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name);

/** The facts of a check for `--list` and reports. */
export type CheckFacts = Pick<ReceiverCheck, "name" | "kind" | "severity" | "title" | "advice">;

/** The facts of checks, without their work. */
export function checkFacts(names: readonly string[]): CheckFacts[] {
  return CHECKS.filter(({ name }) => names.includes(name)).map(
    ({ name, kind, severity, title, advice }) => ({ name, kind, severity, title, advice }),
  );
}
