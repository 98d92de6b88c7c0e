import { setTimeout as pause } from "node:timers/promises";
import type {
  CheckOutcome,
  DeliveryDocument,
  ShownReceiverTest,
  TestedCheck,
} from "../../documents/events.ts";
import { redactSecrets } from "../../secrets/secret.ts";
import { defined, jsonOf } from "../../values/json.ts";
import { attemptOf, responseStart } from "../delivery.ts";
import { eventErrors } from "../errors.ts";
import { isAccepted } from "../message/payloads.ts";
import { type Answer, post } from "../message/post.ts";
import {
  MISTAKEN_SIGNING,
  type MistakenSigning,
  mistakeAdvice,
} from "../message/signing-mistakes.ts";
import { CHECKS, KNOWN_EVENTS, type ReceiverCheck, UNSIGNED } from "./checks.ts";
import {
  type BaseMessage,
  FORGED_ALONE,
  forgedMessage,
  type MessageOptions,
  messageMaker,
  type TestMessage,
} from "./messages.ts";
import {
  type CheckVerdict,
  diagnose,
  isPageForAll,
  isRejection,
  type JudgedCheck,
  type ReceiverAnswer,
} from "./verdicts.ts";

/** The result of a test of a receiver. */
export type ReceiverTest = Omit<ShownReceiverTest, "again">;

interface ReceiverTestPlan extends MessageOptions {
  readonly receiver: Receiver;
  readonly checks: readonly string[];
  readonly signal: AbortSignal;
  readonly onCheck?: (name: string, number: number) => void;
  readonly onAnswer?: (answer: ReceiverAnswer) => void;
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
  signing?: MistakenSigning;
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
  const [first] = own;
  if (own.every(({ isPage }) => isPage)) {
    await send(
      [messageMaker(plan, "page").refused("", { spoil: () => ({ headers: {} }) })],
      plan,
      answers,
    );
    if (isPageForAll(answers.all)) delete answers.accepted;
    return;
  }
  if (plain !== undefined) return;
  await sendMistaken(first, base, plan, answers);
  const { status = 0 } = first ?? {};
  if (answers.accepted === undefined && (isRejection(first) || status === 404)) {
    await send([forgedMessage(messageMaker(plan, FORGED_ALONE))], plan, answers);
  }
}

/** Looks for a mistaken way of signing that a receiver accepts that refuses the platform's. */
async function sendMistaken(
  first: ReceiverAnswer | undefined,
  base: BaseMessage,
  plan: ReceiverTestPlan,
  answers: Answers,
): Promise<void> {
  let answer = first;
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
  const { accepted, signing, byCheck } = answers;
  const options = accepted === undefined ? plan : { ...plan, signing, base: accepted };
  const chosen = CHECKS.filter(({ name }) => plan.checks.includes(name));
  const isRefusing = isRejection(byCheck.get(KNOWN_EVENTS)?.[0]);
  for (const [at, check] of chosen.entries()) {
    const { name } = check;
    // A receiver that refuses all events may still accept those without a signature.
    const isConclusive = accepted !== undefined || (name === UNSIGNED && isRefusing);
    if (name === KNOWN_EVENTS || !isConclusive || isHidden(name, answers)) continue;
    plan.onCheck?.(name, at + 1);
    const own = await send(check.send(messageMaker(options, name)), plan, answers);
    byCheck.set(name, own);
    if (own.at(-1)?.failure?.kind === "unreachable") return;
  }
}

/** A message whose signature fits the changed body says nothing about unchanged bytes. */
function isHidden(name: string, { signing }: Answers): boolean {
  return signing?.body !== undefined && ["raw-body", "utf-8"].includes(name);
}

function resultOf({ receiver, seed, checks }: ReceiverTestPlan, answers: Answers): ReceiverTest {
  const { accepted, signing, byCheck } = answers;
  // The other checks are inconclusive because the plain message is not accepted.
  const isPlainAccepted = accepted !== undefined && signing === undefined;
  const isShown = ({ name }: ReceiverCheck) =>
    checks.includes(name) || (name === KNOWN_EVENTS && !isPlainAccepted);
  const judged = CHECKS.filter(isShown).map((check): ReceiverCheck & JudgedCheck => {
    const verdict = verdictOf(check, answers);
    return check.name === KNOWN_EVENTS && signing !== undefined
      ? { ...check, verdict: { ...verdict, symptoms: ["signing"] }, advice: mistakeAdvice(signing) }
      : { ...check, verdict };
  });
  const diagnosis = diagnose(judged);
  const tested = judged.map((check): TestedCheck => {
    const { name, kind, severity, verdict } = check;
    const { symptoms: _, ...seen } = verdict;
    // The advice of the check is about one failure of several, such as a message that was accepted.
    const said = diagnosis.filter((one) => one.checks.includes(name)).map(({ says }) => says);
    const advice = said.join(" ") || check.advice;
    return {
      ...defined({ name, kind, severity, ...seen }),
      messages: (byCheck.get(name) ?? []).map(documentOf),
      ...(seen.outcome === "fail" || seen.outcome === "warn" ? { advice } : {}),
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

function verdictOf(check: ReceiverCheck, answers: Answers): CheckVerdict {
  const { all, byCheck, accepted } = answers;
  const own = byCheck.get(check.name);
  const notRun = (message: string): CheckVerdict => ({ outcome: "not_run", message });
  if (isHidden(check.name, answers)) return notRun("the receiver verifies another body");
  // An absence proves nothing if no message was accepted.
  if (accepted === undefined && (check.kind === "behaviour" || own === undefined)) {
    return notRun(`${KNOWN_EVENTS} failed`);
  }
  if (check.kind !== "behaviour" && own === undefined) return notRun("the receiver stopped");
  return check.judge(own ?? [], all, check.name);
}

function documentOf({ message, attempt, earlier }: ReceiverAnswer): DeliveryDocument {
  const { id, event, body } = message;
  const attempts = earlier === undefined ? [attempt] : [earlier.attempt, attempt];
  return { id, event, bytes: Buffer.byteLength(body), attempts };
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
      said: saidIn(answer, message.headers),
      tells: message.hidden?.some((one) => textOf(answer.body).includes(one)),
      isPage: isAccepted(answer) && isHtml(answer),
    }),
  };
}

function isHtml({ body }: Answer): boolean {
  return /^\s*<(?:!doctype html|html\b)/iu.test(textOf(body));
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body)
    .toString("utf8")
    .replace(/^\uFEFF/u, "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&#39;": "'",
  "&quot;": '"',
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
};

/** The receiver's own words: JSON as one line, what a page is about, else the first line. */
function saidIn(answer: Answer, sentHeaders: object): string | undefined {
  const text = textOf(answer.body).slice(0, 8192);
  const json = jsonOf(text);
  const heading = isHtml(answer)
    ? (/<(?:pre|h1)\b.*/isu.exec(text) ?? /<title\b.*/isu.exec(text))?.[0]
    : undefined;
  const words = heading
    ?.replaceAll(/<(?:br|\/pre|\/h1|\/title).*/gisu, "")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll(/&(?:#39|quot|amp|lt|gt);/gu, (one) => ENTITIES[one] ?? one);
  const said = json === undefined ? (words ?? text) : JSON.stringify(json);
  return responseStart(said.trim().split(/[\r\n]/u, 1)[0] ?? "", sentHeaders) || undefined;
}

/** The times that a receiver that limits the rate is asked, and the longest wait in between. */
const MAX_ATTEMPTS = 3;
const MAX_WAIT_MS = 30_000;

/**
 * Sends a message, again after a while if the receiver says that there were too many, and once more
 * after an error of its own.
 */
async function sendPatiently(
  message: TestMessage,
  plan: ReceiverTestPlan,
  asksAgain: boolean,
): Promise<ReceiverAnswer> {
  const { receiver, signal, wait = (ms) => pause(ms, undefined, { signal }), onAnswer } = plan;
  let earlier: ReceiverAnswer | undefined;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = { ...(await sendMessage(message, receiver, signal)), ...defined({ earlier }) };
    onAnswer?.(answer);
    const { status = 0 } = answer;
    const isError = status >= 500 && asksAgain && earlier === undefined;
    if (!isError && (status !== 429 || attempt === MAX_ATTEMPTS)) return answer;
    if (isError) earlier = answer;
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
  const waiting = [...messages];
  for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
    // One that keeps failing is asked again once only.
    const isFailing = own.some(({ earlier, status = 0 }) => earlier && status >= 500);
    const answer = await sendPatiently(message, plan, !isFailing);
    own.push(answer);
    all.push(answer);
    if (all.length === 1) assertReached(answer, plan.receiver);
    // Each further one would have to be waited for as long.
    if (answer.failure?.kind === "late") break;
    if (stopsAtFailure && answer.failure !== undefined) break;
    // One that stores IDs before it verifies takes the second for a duplicate.
    if (message.expect === "refuse" && !message.again && isRejection(answer)) {
      waiting.unshift({ ...message, what: `${message.what}, sent twice`, again: true });
    }
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
