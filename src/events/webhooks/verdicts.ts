import type { CheckOutcome, MessageAttempt, ReceiverDiagnosis } from "../../documents/events.ts";
import { isAccepted } from "../message/payloads.ts";
import type { PostFailure } from "../message/post.ts";
import { SIGNING_MISTAKES } from "../mistakes.ts";
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
export function answerText({ status, location, failure }: ReceiverAnswer): string {
  if (failure !== undefined) return failure.reason;
  if (status === undefined) return "no answer";
  if (status < 300 || status >= 400) return String(status);
  return `a redirect (${status})${location === undefined ? "" : ` to ${location}`}`;
}

/** The failure that a crash in place of a refusal is called. */
const CRASH = "crash";

/** The failure that an error which the same message did not meet again is called. */
const FAILED_ONCE = "failed-once";

/** The failure that a 2xx with the words of a refusal is called. */
const REFUSED_IN_WORDS = "refused-in-words";

/** The failure that the acceptance of a refused message, sent again, is called. */
const ACCEPTED_AGAIN = "accepted-again";

/** The failure that silence in place of a refusal is called. */
const UNANSWERED = "unanswered";

/** The failure that a redirect in place of a refusal is called. */
const REDIRECTED_REFUSAL = "redirected-refusal";

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
    message: `${answerText(first)} for ${first.message.what}`,
    answer: first.said,
    symptoms: failing.length > 0 ? [...symptoms] : [CRASH],
  };
}

/** Passes, with a remark where the receiver failed once and then did what it should. */
function judgeRepeats(own: readonly ReceiverAnswer[]): CheckVerdict {
  const { earlier } = own.find((answer) => answer.earlier !== undefined) ?? {};
  if (earlier === undefined) return { outcome: "pass" };
  const { expect, what } = earlier.message;
  const then = expect === "take" ? "accepted" : "rejected";
  const message = `failed once, then ${then}: ${answerText(earlier)} for ${what}`;
  return { outcome: "warn", message, answer: earlier.said, symptoms: [FAILED_ONCE] };
}

const REFUSAL_WORDS =
  /\b(?:errors?|invalid|fail(?:ed|ure)?|denied|forbidden|unauthori[sz]ed|reject(?:ed)?|mismatch)\b/iu;

function symptomOf(answer: ReceiverAnswer, all: readonly ReceiverAnswer[], name: string): string {
  const { failure, message, said = "" } = answer;
  if (message.expect === "refuse") {
    if (failure?.kind === "late") return UNANSWERED;
    if (isRedirect(answer)) return REDIRECTED_REFUSAL;
    if (isAccepted(answer) && REFUSAL_WORDS.test(said)) return REFUSED_IN_WORDS;
    if (message.again) return ACCEPTED_AGAIN;
  }
  // The message that stopped it.
  if (failure && all[all.indexOf(answer) + 1]?.failure?.kind === "unreachable")
    return "unreachable";
  if (failure?.kind === "late" || failure?.kind === "unreachable") return failure.kind;
  return message.symptom ?? name;
}

function outcomeOf(answer: ReceiverAnswer): CheckOutcome {
  const { status = 0, failure, message } = answer;
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

/** A check that was judged, with what is wrong if it alone fails. */
export interface JudgedCheck {
  readonly name: string;
  readonly advice: string;
  readonly verdict: CheckVerdict;
}

/** The checks that no receiver passes that does not verify signatures. */
const UNVERIFIED = ["tampered", "wrong-key", "swapped-id"] as const;

interface Meaning {
  readonly symptoms: readonly string[];
  /** Failures that follow from it, if they are there. */
  readonly also?: readonly string[];
  /** The checks that must have passed: one that was not chosen says nothing. */
  readonly passed?: readonly string[];
  readonly says: string;
}

/**
 * The meaning of a set of failures together. A check that fails alone has its meaning in its own
 * advice; sets that contain others come first.
 */
const MEANINGS: readonly Meaning[] = [
  {
    symptoms: ["page"],
    says: "The receiver answers every message with a web page, as a site does that is not a webhook receiver: is this the right URL? The path may be missing, or the page may be that of a login.",
  },
  {
    symptoms: ["redirects-all"],
    says: "The receiver redirects every message. The platform does not follow redirects, and counts a 3xx as a failure: register the URL that it redirects to.",
  },
  {
    symptoms: [REDIRECTED_REFUSAL],
    also: ["no-redirect"],
    says: "The receiver redirects messages that it rejects, for example to a login page. Return 401 instead.",
  },
  {
    symptoms: ["late"],
    says: "The receiver processes the message before it responds. After 15 s the platform counts a failure and sends the message again: respond first, then process the message.",
  },
  {
    symptoms: [...UNVERIFIED, "stale", "future"],
    passed: ["unsigned"],
    says: "The receiver checks only that a signature is present. Compare it with the signature that you compute with the secret.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned"],
    passed: ["stale", "future"],
    says: "The receiver checks only the time of a message, not its signature.",
  },
  {
    symptoms: UNVERIFIED,
    passed: ["unsigned", "stale", "future"],
    says: "The receiver checks only the headers and the time of a message. Compare its signature with the one that you compute with the secret.",
  },
  {
    symptoms: UNVERIFIED,
    also: ["unsigned", "stale", "future"],
    says: "The receiver does not verify signatures, so anyone who knows its URL can send it messages; or it responds before it verifies them: amp cannot distinguish the two. Verify the signature, then respond.",
  },
  {
    symptoms: ["stale", "future"],
    says: "The receiver does not check the time of a message, so a captured message can be replayed. Reject a svix-timestamp (in seconds) that differs from the current time by more than 5 minutes.",
  },
  {
    symptoms: ["rotation", "other-version"],
    says: "The receiver reads only the first signature. Split svix-signature at spaces, and try each part that begins with v1.",
  },
  {
    symptoms: ["raw-body", "utf-8"],
    also: ["trimmed-body"],
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
  {
    symptoms: ["too-strict"],
    says: "The receiver rejects a message that is 4 minutes old: its tolerance is too small, or its clock is ahead. Allow 5 minutes, and synchronise the clock with NTP.",
  },
  {
    symptoms: ["no-event-5xx"],
    says: "The receiver fails for every event. Check its log for the reason; events of an unknown customer must not make it fail.",
  },
  {
    symptoms: [CRASH],
    says: "The receiver fails (5xx or no response) instead of rejecting the message. The platform treats this as an outage and retries for days. Return 401 instead.",
  },
  {
    symptoms: [REFUSED_IN_WORDS],
    says: "The receiver returns 2xx for messages that its answer rejects, so a rejected message counts as delivered. Return 401 instead.",
  },
  {
    symptoms: [ACCEPTED_AGAIN],
    says: "The receiver rejects a forged message, but accepts it when it is sent again: it stores the message ID before it verifies the signature. It also ignores the genuine message of this ID then. Verify first, then store the ID.",
  },
  {
    symptoms: [UNANSWERED],
    says: "The receiver does not respond to messages that it rejects. Return 401.",
  },
  {
    symptoms: [FAILED_ONCE],
    says: "The receiver failed, and did as it should when the message was sent again. The platform also sends a message again; check the log of the receiver for the reason.",
  },
  {
    symptoms: ["no-event-signed"],
    says: "The receiver accepts the signature, and rejects the event itself. The records of these events do not exist: return 2xx for a customer that the receiver does not know.",
  },
  {
    symptoms: ["no-event-headers"],
    says: 'The receiver misses the signature headers of a signed message: it gives the same answer to one without them. Header names have no case: read them in the case that your framework uses (Node: request.headers["svix-id"]), and check that a proxy in front does not remove them.',
  },
  {
    symptoms: ["no-event-4xx"],
    says: "The receiver rejects correctly signed messages, and those with the common mistakes in signing: it has a different secret than --secret, it requires a login or a token for this URL (--header sends one), or it verifies signatures in a way that amp does not know. Its answer or its log may name the reason.",
  },
  { symptoms: ["no-path"], says: "The receiver returns 404 for this path. Check the URL." },
  {
    symptoms: ["no-method"],
    says: "The receiver does not accept POST at this path. Check the URL.",
  },
  {
    symptoms: ["no-content-type"],
    says: "The receiver does not accept application/json, which the platform sends.",
  },
  {
    symptoms: ["closed"],
    says: "The receiver closes the connection without a response. Check its log for the reason.",
  },
  {
    symptoms: ["unreachable"],
    says: "The receiver stopped during the test. Check its log for the reason.",
  },
  {
    symptoms: ["slow"],
    says: "The receiver is slow. After 15 s the platform counts a failure: respond first, then process the message.",
  },
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
  for (const { symptoms, also = [], passed = [], says } of MEANINGS) {
    const isPresent = (wanted: string) => left.some(({ symptom }) => symptom === wanted);
    if (symptoms.every(isPresent) && passed.every(hasPassed)) take([...symptoms, ...also], says);
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
