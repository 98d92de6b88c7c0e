import type {
  CheckOutcome,
  MessageAttempt,
  ReceiverDiagnosis,
  TestedCheck,
} from "../../documents/events.ts";
import { numberText } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import { isAccepted, MAX_BODY_BYTES } from "../message/payloads.ts";
import type { PostFailure } from "../message/post.ts";
import { SIGNING_MISTAKES } from "../message/signing-mistakes.ts";
import type { TestMessage } from "./messages.ts";

/** The attempt at a message, and what was seen of the answer. */
export interface ReceiverAnswer {
  readonly message: TestMessage;
  readonly attempt: MessageAttempt;
  readonly status?: number;
  readonly durationMs: number;
  readonly location?: string;
  /** The header `webhook-delivery`, by which a receiver controls the platform's deliveries. */
  readonly control?: string;
  /** The seconds after which a receiver that limits the rate may get the next message. */
  readonly retryAfterSeconds?: number;
  /** Why no answer came. */
  readonly failure?: PostFailure;
  /** The start of the receiver's own words. */
  readonly said?: string;
  /** Whether the answer has the valid signature of a forged message, or the secret. */
  readonly tells?: boolean;
  /** Whether the answer is a page for people. */
  readonly isPage?: boolean;
  /** The failure after which the same message was sent once more. */
  readonly earlier?: ReceiverAnswer;
}

/** The verdict on the answers to a check. */
export interface CheckVerdict {
  readonly outcome: CheckOutcome;
  /** The observation, as a sentence without full stop; absent for a pass. */
  readonly message?: string;
  readonly observed?: TestedCheck["observed"];
  /** The receiver's own words about the first failure. */
  readonly answer?: string | undefined;
  /** A few words beside the name of a check that passed. */
  readonly note?: string;
  /** The failures by name: the diagnosis is made of those of all checks. */
  readonly symptoms?: readonly string[];
}

/** Whether a receiver that is at this URL refused a message, as it does if it does not trust it. */
export function isRejection(answer: ReceiverAnswer | undefined): boolean {
  const { status = 0 } = answer ?? {};
  return status >= 400 && status < 500 && ![404, 405, 415, 429].includes(status);
}

/** Whether an answer is a redirect, which the platform counts as a failure. */
export function isRedirect({ status = 0 }: ReceiverAnswer): boolean {
  return status >= 300 && status < 400;
}

/** The answer in a few words: "401", "a redirect (302) to /login", "no response within 15 s". */
export function answerText({ status, location, failure, tells }: ReceiverAnswer): string {
  if (failure !== undefined) return failure.reason;
  if (tells) return `${status} with the valid signature or the secret`;
  if (status === undefined) return "no answer";
  if (status < 300 || status >= 400) return String(status);
  return `a redirect (${status})${location === undefined ? "" : ` to ${location}`}`;
}

/** The observation of an answer: as a sentence, by its parts, and in the receiver's own words. */
export function observation(
  answer: ReceiverAnswer,
  to = answer.message.what,
  response = answerText(answer),
): Pick<CheckVerdict, "message" | "observed" | "answer"> {
  const observed = defined({ response, status: answer.status, to });
  return { message: `${response} for ${to}`, observed, answer: answer.said };
}

/** The failures whose names are not those of checks or messages. */
const CRASH = "crash";
const FAILED_ONCE = "failed-once";
const REFUSED_IN_WORDS = "refused-in-words";
const ACCEPTED_AGAIN = "accepted-again";
const REDIRECTED_REFUSAL = "redirected-refusal";
const UNANSWERED = "unanswered";
/** The answer helps to forge messages. */
const TELLS = "tells-signature";
/** A plain message is rejected after others were accepted. */
export const PLAIN = "plain";

/** Compares each answer with what its message expects; the first difference is reported. */
export function judgeByExpectation(
  own: readonly ReceiverAnswer[],
  all: readonly ReceiverAnswer[],
  name: string,
): CheckVerdict {
  const differing = own.filter((answer) => outcomeOf(answer) !== "pass");
  const limited = differing.find(({ status }) => status === 429);
  if (limited !== undefined) {
    return {
      outcome: "not_run",
      message: "429 for every attempt: the receiver limits the rate of requests",
    };
  }
  const failing = differing.filter((answer) => outcomeOf(answer) === "fail");
  const [first] = failing.length > 0 ? failing : differing;
  if (first === undefined) return judgeRepeats(own);
  const symptoms = new Set(failing.map((answer) => symptomOf(answer, all, name)));
  return {
    outcome: failing.length > 0 ? "fail" : "warn",
    ...observation(first),
    symptoms: failing.length > 0 ? [...symptoms] : [CRASH],
  };
}

/** Passes, with a remark where the receiver failed once and then did what it should. */
function judgeRepeats(own: readonly ReceiverAnswer[]): CheckVerdict {
  const { earlier } = own.find((answer) => answer.earlier !== undefined) ?? {};
  if (earlier === undefined) return { outcome: "pass" };
  const then = earlier.message.expect === "take" ? "accepted" : "rejected";
  const response = `failed once, then ${then}: ${answerText(earlier)}`;
  const seen = observation(earlier, earlier.message.what, response);
  return { outcome: "warn", ...seen, symptoms: [FAILED_ONCE] };
}

const REFUSAL_WORDS =
  /\b(?:errors?|invalid|fail(?:ed|ure)?|denied|forbidden|unauthori[sz]ed|reject(?:ed)?|mismatch)\b/iu;

function symptomOf(answer: ReceiverAnswer, all: readonly ReceiverAnswer[], name: string): string {
  const { failure, message, said = "", status = 0 } = answer;
  if (answer.tells) return TELLS;
  if (message.expect === "refuse") {
    if (failure?.kind === "late") return UNANSWERED;
    if (isRedirect(answer)) return REDIRECTED_REFUSAL;
    if (isAccepted(answer) && REFUSAL_WORDS.test(said)) return REFUSED_IN_WORDS;
    if (message.again) return ACCEPTED_AGAIN;
  }
  // The message that stopped it, or one that met it while it stopped.
  const rest = all.slice(all.indexOf(answer));
  if (rest.every((one) => one.failure) && rest.at(-1)?.failure?.kind === "unreachable")
    return "unreachable";
  if (status === 413) return "300-kb";
  if (name === "300-kb" && [400, 401, 403].includes(status)) return "cut-body";
  if (failure?.kind === "late" || failure?.kind === "unreachable") return failure.kind;
  return message.symptom ?? name;
}

function outcomeOf(answer: ReceiverAnswer): CheckOutcome {
  const { status = 0, failure, message } = answer;
  if (answer.tells) return "fail";
  if (message.expect === "take") return isAccepted(answer) ? "pass" : "fail";
  if (status >= 400 && status < 500) return "pass";
  // A receiver that crashes does not take the message either.
  return status >= 500 || failure?.kind === "closed" ? "warn" : "fail";
}

/** Whether every message was answered with a page: those without a signature, too. */
export function isPageForAll(answers: readonly ReceiverAnswer[]): boolean {
  const isSent = (answer: ReceiverAnswer) => answer.message.expect === "refuse";
  return answers.every(({ isPage }) => isPage) && answers.some(isSent);
}

/** The mistake that both a check alone and the diagnosis name. */
export const RESERIALISED = `The receiver verifies a body that was parsed and serialised again. ${SIGNING_MISTAKES["body-serialised-again"].advice}`;

/** The mistakes of a check that others may show, too. */
export const OTHER_ENCODING =
  "The receiver reads the body in another encoding, or fails for the characters themselves. Verify the unchanged bytes, and read and store them as UTF-8 (MySQL: utf8mb4).";
export const TOO_SMALL = `Allow bodies of at least ${numberText(MAX_BODY_BYTES)} bytes: the platform sends up to 300 KB (Express: express.raw({ type: "application/json", limit: "350kb" }); Flask: MAX_CONTENT_LENGTH).`;

/** A check that was judged, with what is wrong if it alone fails. */
export interface JudgedCheck {
  readonly name: string;
  readonly advice: string;
  readonly verdict: CheckVerdict;
}

/** The checks that no receiver passes that does not verify signatures. */
const UNVERIFIED = ["tampered", "wrong-key", "swapped-id"] as const;

/** Further messages of these checks, which such a receiver takes as well. */
const FORGERIES = ["other-kinds", "part-of-signature"];

interface Meaning {
  readonly symptoms: readonly string[];
  /** Failures that follow from it, if they are there. */
  readonly also?: readonly string[];
  /** Whether every other failure follows from it. */
  readonly hidesAll?: true;
  /** The checks that must have passed: one that was not chosen says nothing. */
  readonly passed?: readonly string[];
  readonly says: string;
}

/** The meanings of failures that no failure beside them explains. */
const ALONE: Readonly<Record<string, string>> = {
  page: "The receiver answers every message with a web page, as a site does that is not a webhook receiver: is this the right URL? The path may be missing, or the page may be that of a login.",
  "redirects-all":
    "The receiver redirects every message. The platform does not follow redirects, and counts a 3xx as a failure: return 2xx, or register the URL that it redirects to.",
  "split-character":
    "The receiver decodes a large body part by part, which damages a character that two parts share. Join the bytes first, then decode them (Node: Buffer.concat(chunks), not body += chunk).",
  "too-strict-ahead":
    "The receiver rejects a message that is 30 s ahead of its clock: clocks differ, so allow 5 minutes in both directions, and synchronise the clock with NTP.",
  "too-strict":
    "The receiver rejects a message that is 4 minutes old: its tolerance is too small, or its clock is ahead. Allow 5 minutes, and synchronise the clock with NTP.",
  "no-event-5xx":
    "The receiver fails for every event. Check its log for the reason, such as a body that was parsed before it is verified (Express: express.json() before express.raw()); events of an unknown customer must not make it fail.",
  [CRASH]:
    "The receiver fails (5xx or no response) instead of rejecting the message. The platform treats this as an outage and retries for days. Return 401 instead.",
  [REFUSED_IN_WORDS]:
    "The receiver returns 2xx for messages that its answer rejects, so a rejected message counts as delivered. Return 401 instead.",
  [ACCEPTED_AGAIN]:
    "The receiver rejects a forged message, but accepts it when it is sent again: it stores the message ID before it verifies the signature. It also ignores the genuine message of this ID then. Verify first, then store the ID.",
  [UNANSWERED]: "The receiver does not respond to messages that it rejects. Return 401.",
  [FAILED_ONCE]:
    "The receiver failed, and did as it should when the message was sent again. The platform also sends a message again; check the log of the receiver for the reason.",
  "no-event-signed":
    "The receiver accepts the signature, and rejects the event itself. The records of these events do not exist: return 2xx for a customer that the receiver does not know.",
  "no-event-headers":
    'The receiver misses the signature headers of a signed message: it gives the same answer to one without them. Header names have no case: read them in the case that your framework uses (Node: request.headers["svix-id"]), and check that a proxy in front does not remove them.',
  "no-event-4xx":
    "The receiver rejects correctly signed messages, and those with the common mistakes in signing: it has a different secret than --secret, it requires a login or a token for this URL (--header sends one), or it verifies signatures in a way that amp does not know. Its answer or its log may name the reason.",
  "no-path": "The receiver returns 404 for this path. Check the URL.",
  "no-method": "The receiver does not accept POST at this path. Check the URL.",
  "no-content-type": "The receiver does not accept application/json, which the platform sends.",
  closed: "The receiver closes the connection without a response. Check its log for the reason.",
  unreachable: "The receiver stopped during the test. Check its log for the reason.",
  slow: "The receiver is slow. After 15 s the platform counts a failure: respond first, then process the message.",
};

/**
 * The meaning of a set of failures together. A check that fails alone has its meaning in its own
 * advice; sets that contain others come first.
 */
const MEANINGS: readonly Meaning[] = [
  {
    symptoms: [PLAIN],
    hidesAll: true,
    says: "The receiver accepts a message, and rejects a later one of the same kind: it keeps something of one message for the next, such as a buffer that is not emptied, an HMAC object that is used again, or bodies in which it looks for duplicates. Use new ones for each message, and find duplicates by svix-id.",
  },
  {
    symptoms: [TELLS],
    says: "The answer to a message that is rejected has its valid signature or the secret, so that anyone can sign messages. Return 401 without them.",
  },
  {
    symptoms: [REDIRECTED_REFUSAL],
    also: ["no-redirect"],
    says: "The receiver redirects messages that it rejects, for example to a login page. Return 401 instead.",
  },
  {
    symptoms: ["late"],
    says: "The receiver processes the message before it responds, or an error keeps it from responding. After 15 s the platform counts a failure and sends the message again: respond first, then process the message.",
  },
  {
    symptoms: [...UNVERIFIED, "stale", "future"],
    also: FORGERIES,
    passed: ["unsigned"],
    says: "The receiver checks only that a signature is present. Compare it with the signature that you compute with the secret.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned"],
    also: FORGERIES,
    passed: ["stale", "future"],
    says: "The receiver checks only the time of a message, not its signature.",
  },
  {
    symptoms: UNVERIFIED,
    also: FORGERIES,
    passed: ["unsigned", "stale", "future"],
    says: "The receiver checks only the headers and the time of a message. Compare its signature with the one that you compute with the secret.",
  },
  {
    symptoms: UNVERIFIED,
    also: [...FORGERIES, "unsigned", "stale", "future"],
    says: "The receiver does not verify signatures, so anyone who knows its URL can send it messages; or it responds before it verifies them: amp cannot distinguish the two. Verify the signature, then respond.",
  },
  {
    symptoms: ["stale", "future"],
    says: "The receiver does not check the time of a message, so a captured message can be replayed. Reject a svix-timestamp (in seconds) that differs from the current time by more than 5 minutes.",
  },
  {
    symptoms: ["other-kinds"],
    also: ["tampered"],
    says: "The receiver verifies only some kinds of messages. Verify the signature before anything that depends on the body.",
  },
  {
    symptoms: ["part-of-signature"],
    also: ["unsigned"],
    says: "The receiver compares only a part of the signature. Compare all of it, and its length (Node: timingSafeEqual; Python: hmac.compare_digest).",
  },
  {
    symptoms: ["same-body"],
    also: ["twice", "raw-body", "trimmed-body"],
    says: "The receiver takes a new message for a duplicate because an earlier one had the same body. Find duplicates by svix-id, and return 2xx for them.",
  },
  {
    symptoms: ["unknown-field"],
    also: ["300-kb", "cut-body", "split-character"],
    says: "The receiver rejects a body with fields that it does not know. New fields can appear without notice: ignore them.",
  },
  {
    symptoms: ["rotation", "first-of-two"],
    also: ["other-version"],
    says: "The receiver accepts only a header with one signature: it compares all of svix-signature, or requires that each part is valid. Split it at spaces, and accept the message if one of its v1 signatures is valid.",
  },
  {
    symptoms: ["rotation", "other-version"],
    says: "The receiver reads only the first signature. Split svix-signature at spaces, and try each part that begins with v1.",
  },
  {
    symptoms: ["raw-body", "utf-8"],
    also: ["trimmed-body", "split-character"],
    says: "The receiver verifies a body that was parsed and serialised again, and not in UTF-8. Verify the unchanged bytes.",
  },
  {
    symptoms: ["raw-body"],
    also: ["trimmed-body"],
    says: RESERIALISED,
  },
  {
    symptoms: ["trimmed-body"],
    says: "The receiver removes the end of the body before it verifies it. Verify the unchanged bytes.",
  },
  { symptoms: ["utf-8"], also: ["split-character"], says: OTHER_ENCODING },
  { symptoms: ["300-kb"], also: ["split-character"], says: TOO_SMALL },
  {
    symptoms: ["cut-body"],
    also: ["split-character"],
    says: "The receiver rejects the signature of a large body: it reads only the beginning, or something in front of it cuts or blocks large bodies. Read the body to its end before you verify it.",
  },
  {
    symptoms: ["too-strict", "too-strict-ahead"],
    says: "The receiver rejects messages that are 4 minutes old or 30 s ahead of its clock: its tolerance is too small. Allow 5 minutes in both directions.",
  },
  ...Object.entries(ALONE).map(([symptom, says]) => ({ symptoms: [symptom], says })),
];

/**
 * The meaning of the failures of a test: the largest sets of the table that are among them, and for
 * the rest the advice of each check.
 */
export function diagnose(judged: readonly JudgedCheck[]): ReceiverDiagnosis[] {
  let left = judged.flatMap(({ name, verdict: { symptoms = [] } }) =>
    symptoms.map((symptom) => ({ name, symptom })),
  );
  const found: ReceiverDiagnosis[] = [];
  const take = (symptoms: readonly string[], says: string) => {
    const part = left.filter(({ symptom }) => symptoms.includes(symptom));
    if (part.length === 0) return;
    found.push({ checks: [...new Set(part.map(({ name }) => name))], says });
    left = left.filter(({ symptom }) => !symptoms.includes(symptom));
  };
  const hasPassed = (wanted: string) =>
    judged.some(({ name, verdict }) => name === wanted && verdict.outcome === "pass");
  for (const { symptoms, also = [], passed = [], says, hidesAll } of MEANINGS) {
    const isPresent = (wanted: string) => left.some(({ symptom }) => symptom === wanted);
    if (!symptoms.every(isPresent) || !passed.every(hasPassed)) continue;
    take(hidesAll ? left.map(({ symptom }) => symptom) : [...symptoms, ...also], says);
  }
  for (const { name, advice } of judged) {
    const own = left.filter((one) => one.name === name);
    take(
      own.map(({ symptom }) => symptom),
      advice,
    );
  }
  const order = judged.map(({ name }) => name);
  const place = ({ checks: [first = ""] }: ReceiverDiagnosis) => order.indexOf(first);
  return found.sort((a, b) => place(a) - place(b));
}
