import { setTimeout as pause } from "node:timers/promises";
import type {
  CheckOutcome,
  DeliveryDocument,
  ReceiverDiagnosis,
  ShownReceiverTest,
  TestedCheck,
} from "../../documents/events.ts";
import { redactSecrets } from "../../secrets/secret.ts";
import { defined } from "../../values/json.ts";
import { attemptOf } from "../delivery.ts";
import { eventErrors } from "../errors.ts";
import { isAccepted } from "../message/payloads.ts";
import { post } from "../message/post.ts";
import { MISTAKEN_SIGNING, mistakeAdvice, type SigningWay } from "../mistakes.ts";
import {
  CHECKS,
  type CheckVerdict,
  CRASH,
  isRejection,
  KNOWN_EVENTS,
  REDIRECTED_REFUSAL,
  RESERIALISED,
  type ReceiverAnswer,
  type ReceiverCheck,
} from "./checks.ts";
import {
  type BaseMessage,
  type MessageOptions,
  messageMaker,
  type TestMessage,
} from "./messages.ts";

/** The result of a test of a receiver. */
export type ReceiverTest = Omit<ShownReceiverTest, "again">;

interface ReceiverTestPlan extends MessageOptions {
  readonly receiver: Receiver;
  readonly checks: readonly string[];
  readonly signal: AbortSignal;
  readonly onCheck?: (name: string, number: number) => void;
  /** Waits; tests do not. */
  readonly wait?: (ms: number) => Promise<void>;
}

interface Answers {
  readonly all: ReceiverAnswer[];
  /** None for a check that sent nothing. */
  readonly byCheck: Map<string, readonly ReceiverAnswer[]>;
  /** What it accepts: the other checks vary it, and are inconclusive if there is nothing. */
  accepted?: BaseMessage;
  /** The mistaken way of signing that it accepts instead of the platform's. */
  signing?: SigningWay;
}

/**
 * Examines a receiver: sends the messages of each check, one by one, and judges the answers.
 * @throws {ServiceError} where the receiver cannot be reached
 */
export async function testReceiver(plan: ReceiverTestPlan): Promise<ReceiverTest> {
  const answers: Answers = { all: [], byCheck: new Map() };
  await sendKnownEvents(plan, answers);
  await sendChecks(plan, answers);
  return resultOf(plan, answers);
}

/**
 * Sends the known events, or a plain message if that check was not chosen. If the receiver refuses
 * them, looks for a mistaken way of signing that it accepts.
 */
async function sendKnownEvents(plan: ReceiverTestPlan, answers: Answers): Promise<void> {
  const check = CHECKS.find(({ name }) => name === KNOWN_EVENTS && plan.checks.includes(name));
  plan.onCheck?.(KNOWN_EVENTS, 1);
  const maker = messageMaker(plan, KNOWN_EVENTS);
  const { base } = maker;
  const messages = check?.send(maker) ?? [messageMaker(plan, "plain").taken(base.event)];
  const own = await send(messages, plan, answers, { stopsAtFailure: check !== undefined });
  answers.byCheck.set(KNOWN_EVENTS, own);
  // One that fails for an event type may be examined by means of another.
  const plain = own.find(isAccepted)?.message;
  if (plain !== undefined) answers.accepted = plain;
  let [answer] = own;
  for (const [at, signing] of MISTAKEN_SIGNING.entries()) {
    // It accepts something, limits the rate, or stopped.
    if (!isRejection(answer)) return;
    const message = messageMaker({ ...plan, base, signing }, `signing-${at}`).taken(base.event);
    [answer] = await send([message], plan, answers);
    if (answer !== undefined && isAccepted(answer)) {
      answers.accepted ??= message;
      answers.signing = signing;
    }
  }
}

/** Sends the messages of the other checks that were chosen, until the receiver is gone. */
async function sendChecks(plan: ReceiverTestPlan, answers: Answers): Promise<void> {
  const { accepted, signing } = answers;
  const options = accepted === undefined ? plan : { ...plan, signing, base: accepted };
  const chosen = CHECKS.filter(({ name }) => plan.checks.includes(name));
  for (const [at, check] of chosen.entries()) {
    const { name, isConclusiveAlone } = check;
    if (name === KNOWN_EVENTS || !(accepted || isConclusiveAlone)) continue;
    // A message whose signature fits the changed body says nothing about unchanged bytes.
    if (signing?.changesBody && name === "raw-body") continue;
    plan.onCheck?.(name, at + 1);
    const own = await send(check.send(messageMaker(options, name)), plan, answers);
    answers.byCheck.set(name, own);
    if (own.at(-1)?.failure?.kind === "unreachable") return;
  }
}

function resultOf({ receiver, seed, checks }: ReceiverTestPlan, answers: Answers): ReceiverTest {
  const { accepted, signing, byCheck } = answers;
  // The other checks are inconclusive because the plain message is not accepted.
  const isPlainAccepted = accepted !== undefined && signing === undefined;
  const isShown = ({ name }: ReceiverCheck) =>
    checks.includes(name) || (name === KNOWN_EVENTS && !isPlainAccepted);
  const judged = CHECKS.filter(isShown).map((check): JudgedCheck => {
    const verdict = verdictOf(check, answers);
    return check.name === KNOWN_EVENTS && signing !== undefined
      ? { ...check, verdict: { ...verdict, symptoms: ["signing"] }, advice: mistakeAdvice(signing) }
      : { ...check, verdict };
  });
  const diagnosis = diagnose(judged);
  const tested = judged.map((check): TestedCheck => {
    const { name, kind, severity, verdict } = check;
    const { outcome, message, note } = verdict;
    // The advice of the check is about one failure of several, such as a message that was accepted.
    const said = diagnosis.filter((one) => one.checks.includes(name)).map(({ says }) => says);
    const advice = said.join(" ") || check.advice;
    return {
      ...defined({ name, kind, severity, outcome, message, note }),
      messages: (byCheck.get(name) ?? []).map(documentOf),
      ...(outcome === "fail" || outcome === "warn" ? { advice } : {}),
    };
  });
  const count = (wanted: CheckOutcome) => tested.filter(({ outcome }) => outcome === wanted).length;
  return {
    url: receiver.url.href,
    seed,
    passed: count("pass"),
    warned: count("warn"),
    failed: count("fail"),
    checks: tested,
    diagnosis,
  };
}

function verdictOf(check: ReceiverCheck, { all, byCheck, accepted }: Answers): CheckVerdict {
  const own = byCheck.get(check.name);
  const needsMessages = check.kind !== "behaviour";
  if (needsMessages && own === undefined) return { outcome: "not_run" };
  const verdict = check.judge(own ?? [], all, check.name);
  // An absence proves nothing if no message was accepted.
  const isMeaningful = needsMessages || accepted !== undefined || verdict.outcome === "fail";
  return isMeaningful ? verdict : { outcome: "not_run" };
}

function documentOf({ message, attempt }: ReceiverAnswer): DeliveryDocument {
  const { id, event, body } = message;
  return { id, event, bytes: Buffer.byteLength(body), attempts: [attempt] };
}

interface Receiver {
  readonly url: URL;
  /** Headers beyond those of the message, for example a token of a gateway in front. */
  readonly headers: Readonly<Record<string, string>>;
  readonly insecureTls: boolean;
  /** The variable that names a proxy for this URL, which is not used. */
  readonly unusedProxy?: string | undefined;
  /** How long an answer may take, in milliseconds; default: as long as the platform waits. */
  readonly limitMs?: number | undefined;
}

/** The time for the body of an answer once its head has come. */
const BODY_MS = 1000;

/**
 * Sends one message over a connection of its own, as a sender does that has not spoken to the
 * receiver before: one that another message used may have been closed by the receiver meanwhile.
 * Never rejects, except when the signal aborts.
 */
async function sendMessage(
  message: TestMessage,
  { url, headers, insecureTls, limitMs }: Receiver,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  const answer = await post(url, {
    agent: false,
    rejectUnauthorized: !insecureTls,
    headers: {
      "content-type": "application/json",
      "user-agent": "amp webhooks test",
      ...headers,
      ...message.headers,
    },
    body: message.body,
    timeoutMs: limitMs,
    bodyMs: BODY_MS,
    signal,
  });
  signal.throwIfAborted();
  const { status, durationMs } = answer;
  const { location, "retry-after": again = "", "webhook-delivery": control } = answer.headers;
  return {
    message,
    attempt: attemptOf(answer, { headers: message.headers }),
    durationMs,
    ...defined({
      status,
      location: location === undefined ? undefined : redactSecrets(location),
      control: control?.toString(),
      retryAfterSeconds: /^\d+$/u.test(again) ? Number(again) : undefined,
      failure: status === undefined ? answer.failure : undefined,
    }),
  };
}

/** The times that a receiver that limits the rate is asked, and the longest wait in between. */
const MAX_ATTEMPTS = 3;
const MAX_WAIT_MS = 30_000;

/** Sends a message, again after a while if the receiver says that there were too many. */
async function sendPatiently(
  message: TestMessage,
  { receiver, signal, wait = (ms) => pause(ms, undefined, { signal }) }: ReceiverTestPlan,
): Promise<ReceiverAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await sendMessage(message, receiver, signal);
    if (answer.status !== 429 || attempt === MAX_ATTEMPTS) return answer;
    await wait(Math.min(MAX_WAIT_MS, (answer.retryAfterSeconds ?? attempt) * 1000));
  }
}

/**
 * Sends messages one after the other, until one is answered too late.
 * @throws {ServiceError} where the first of all does not reach the receiver
 */
async function send(
  messages: readonly TestMessage[],
  plan: ReceiverTestPlan,
  { all }: Answers,
  { stopsAtFailure = false } = {},
): Promise<ReceiverAnswer[]> {
  const own: ReceiverAnswer[] = [];
  for (const message of messages) {
    const answer = await sendPatiently(message, plan);
    own.push(answer);
    all.push(answer);
    if (all.length === 1) assertReached(answer, plan.receiver);
    // Each further one would have to be waited for as long.
    if (answer.failure?.kind === "late") break;
    if (stopsAtFailure && answer.failure !== undefined) break;
  }
  return own;
}

function assertReached(
  { failure }: ReceiverAnswer,
  { url, insecureTls, unusedProxy }: Receiver,
): void {
  if (failure?.kind !== "unreachable") return;
  const isCertificate = failure.isCertificate && !insecureTls;
  const remedy = isCertificate
    ? "Set NODE_EXTRA_CA_CERTS=FILE to trust its certificate authority, or add --insecure-tls if the receiver is your own."
    : unusedProxy === undefined
      ? "Start the receiver, or check the URL."
      : "Start the receiver, check the URL, or run the test on a machine that reaches it directly.";
  const detail =
    unusedProxy &&
    `The proxy of ${unusedProxy} is not used: it could change what the receiver gets.`;
  throw eventErrors.receiver_unreachable(url.origin, failure.reason, detail, remedy);
}

type JudgedCheck = Pick<ReceiverCheck, "name" | "kind" | "severity" | "advice"> & {
  readonly verdict: CheckVerdict;
};

/** The checks that no receiver passes that does not verify signatures. */
const UNVERIFIED = ["tampered", "wrong-key", "swapped-id"] as const;

interface Meaning {
  readonly symptoms: readonly string[];
  /** Failures that follow from it, if they are there. */
  readonly also?: readonly string[];
  readonly says: string;
}

/**
 * The meaning of a set of failures together. A check that fails alone has its meaning in its own
 * advice; sets that contain others come first.
 */
const MEANINGS: readonly Meaning[] = [
  {
    symptoms: ["redirects-all"],
    also: [REDIRECTED_REFUSAL, "no-redirect"],
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
    symptoms: [...UNVERIFIED, "unsigned", "stale", "future"],
    says: "The receiver does not verify signatures, so anyone who knows its URL can send it messages; or it responds before it verifies them: amp cannot distinguish the two. Verify the signature, then respond.",
  },
  {
    symptoms: [...UNVERIFIED, "stale", "future"],
    says: "The receiver checks only that a signature is present. Compare it with the signature that you compute with the secret.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned"],
    says: "The receiver checks only the time of a message, not its signature.",
  },
  {
    symptoms: UNVERIFIED,
    says: "The receiver checks only the headers and the time of a message. Compare its signature with the one that you compute with the secret.",
  },
  {
    symptoms: ["stale", "future"],
    says: "The receiver does not check the time of a message, so a captured message can be replayed. Reject a svix-timestamp that differs from the current time by more than 5 minutes.",
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
    also: [CRASH],
    says: "The receiver fails for every event. Check its log for the reason; events of an unknown customer must not make it fail.",
  },
  {
    symptoms: [CRASH],
    says: "The receiver fails (5xx or no response) instead of rejecting the message. The platform treats this as an outage and retries for days. Return 401 instead.",
  },
  {
    symptoms: ["no-event-4xx"],
    says: "The receiver rejects correctly signed messages, and those with the common mistakes in signing: it has a different secret than --secret, it requires a login or a token for this URL (--header sends one), or it verifies signatures in a way that amp does not know. Its log may name the reason.",
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
function diagnose(judged: readonly JudgedCheck[]): ReceiverDiagnosis[] {
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
  for (const { symptoms, also = [], says } of MEANINGS) {
    const isPresent = (wanted: string) => left.some(({ symptom }) => symptom === wanted);
    if (symptoms.every(isPresent)) take([...symptoms, ...also], says);
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
