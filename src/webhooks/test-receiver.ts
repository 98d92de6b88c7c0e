import { ServiceError } from "../errors.ts";
import { KNOWN_EVENTS } from "./accept-checks.ts";
import {
  type CheckKind,
  type CheckOutcome,
  type CheckSeverity,
  type CheckVerdict,
  isAccepted,
  isRejection,
  type ReceiverAnswer,
  type ReceiverCheck,
} from "./check.ts";
import { CHECKS } from "./checks.ts";
import { diagnose, type ReceiverDiagnosis } from "./diagnosis.ts";
import {
  type BaseMessage,
  type MessageMaker,
  type MessageOptions,
  messageMaker,
  type TestMessage,
} from "./messages.ts";
import { type Receiver, sendPatiently } from "./send.ts";
import { MISTAKEN_SIGNING, mistakeAdvice, type SigningWay } from "./signing-ways.ts";

/** The result of one check. */
export interface TestedCheck {
  readonly name: string;
  readonly kind: CheckKind;
  readonly severity: CheckSeverity;
  readonly outcome: CheckOutcome;
  /** The observation, if it did not pass. */
  readonly message?: string;
  /** A few words about a check that passed. */
  readonly note?: string;
  readonly messages: readonly {
    readonly id: string;
    readonly event: string;
    readonly bytes: number;
  }[];
  readonly responses: readonly {
    readonly status?: number;
    readonly ms: number;
    readonly bodyStart?: string;
    readonly failure?: string;
  }[];
  /** How it is put right, where it did not pass. */
  readonly advice?: string;
}

/** The result of a test of a receiver. */
export interface ReceiverTest {
  readonly url: string;
  readonly seed: string;
  readonly passed: number;
  /** The checks that neither passed nor failed, such as a crash instead of a refusal. */
  readonly warned: number;
  readonly failed: number;
  readonly checks: readonly TestedCheck[];
  readonly diagnosis: readonly ReceiverDiagnosis[];
}

/** The input of a test of a receiver. */
export interface ReceiverTestPlan extends MessageOptions {
  readonly receiver: Receiver;
  /** The names of the checks to make. */
  readonly checks: readonly string[];
  readonly signal: AbortSignal;
  /** Called before each check. */
  readonly onCheck?: (name: string, number: number) => void;
  /** Waits; tests do not. */
  readonly wait?: (ms: number) => Promise<void>;
}

/**
 * Examines a receiver: sends the messages of each check, one after the other, and judges the answers.
 * @throws {ServiceError} where the receiver cannot be reached
 */
export async function testReceiver(plan: ReceiverTestPlan): Promise<ReceiverTest> {
  const { receiver, seed } = plan;
  const chosen = CHECKS.filter(({ name }) => plan.checks.includes(name));
  const all: ReceiverAnswer[] = [];
  const own = new Map<string, readonly ReceiverAnswer[]>();
  const send = async (messages: readonly TestMessage[], stopsAtFailure = false) => {
    const answers: ReceiverAnswer[] = [];
    for (const message of messages) {
      const answer = await sendPatiently(message, plan);
      answers.push(answer);
      all.push(answer);
      if (all.length === 1) assertReached(answer, receiver);
      // Each further one would have to be waited for as long.
      if (answer.failure?.kind === "late") break;
      if (stopsAtFailure && answer.failure !== undefined) break;
    }
    return answers;
  };

  let makers: Maker = (name) => messageMaker(plan, name);
  const first = chosen.find(({ name }) => name === KNOWN_EVENTS);
  plan.onCheck?.(KNOWN_EVENTS, 1);
  const { base } = makers(KNOWN_EVENTS);
  // If the receiver accepts no message, the other checks are inconclusive.
  const known =
    first === undefined
      ? await send([makers("plain").taken(base.body, base.event)])
      : await send(first.send(makers(KNOWN_EVENTS)), true);
  own.set(KNOWN_EVENTS, known);
  const plain = known.find(isAccepted)?.message;
  const found = isRejection(known[0])
    ? await findSigning({ ...plan, base }, async (one) => (await send([one]))[0])
    : undefined;
  const accepted = plain ?? found?.message;
  const signing = found?.signing;
  // One that fails for an event type may be examined by means of another.
  if (accepted !== undefined) {
    const { event, body } = accepted;
    makers = (name) => messageMaker({ ...plan, signing, base: { event, body } }, name);
  }

  let isGone = false;
  for (const [at, check] of chosen.entries()) {
    if (check === first || isGone || (check.needs === "accepted" && !accepted)) continue;
    // A message whose signature fits the changed body says nothing about unchanged bytes.
    if (signing?.changesBody && check.name === "raw-body") continue;
    plan.onCheck?.(check.name, at + 1);
    const answers = await send(check.send(makers(check.name)));
    own.set(check.name, answers);
    isGone = answers.at(-1)?.failure?.kind === "unreachable";
  }

  // The checks are inconclusive because the plain message is not accepted.
  const isShown = ({ name }: ReceiverCheck) =>
    plan.checks.includes(name) || (name === KNOWN_EVENTS && plain === undefined);
  const judged = CHECKS.filter(isShown).map((check) => {
    const verdict = verdictOf(check, own.get(check.name), all, accepted !== undefined);
    return check.name === KNOWN_EVENTS && signing !== undefined
      ? { ...check, verdict: { ...verdict, symptoms: ["signing"] }, advice: mistakeAdvice(signing) }
      : { ...check, verdict };
  });
  const count = (outcome: CheckOutcome) =>
    judged.filter(({ verdict }) => verdict.outcome === outcome).length;
  const diagnosis = diagnose(judged);
  return {
    url: receiver.url.href,
    seed,
    passed: count("pass"),
    warned: count("warn"),
    failed: count("fail"),
    checks: judged.map((check) => testedCheck(check, own.get(check.name) ?? [], diagnosis)),
    diagnosis,
  };
}

type Maker = (name: string) => MessageMaker;

/** The mistaken way of signing that a receiver accepts, with the message that it accepted. */
async function findSigning(
  plan: MessageOptions & { readonly base: BaseMessage },
  send: (message: TestMessage) => Promise<ReceiverAnswer | undefined>,
): Promise<{ readonly signing: SigningWay; readonly message: TestMessage } | undefined> {
  const { body, event } = plan.base;
  for (const [at, signing] of MISTAKEN_SIGNING.entries()) {
    const message = messageMaker({ ...plan, signing }, `signing-${at}`).taken(body, event);
    const answer = await send(message);
    if (answer !== undefined && isAccepted(answer)) return { signing, message };
    // It limits the rate, or stopped.
    if (!isRejection(answer)) return undefined;
  }
  return undefined;
}

function assertReached(
  { failure }: ReceiverAnswer,
  { url, insecureTls, unusedProxy }: Receiver,
): void {
  if (failure?.kind !== "unreachable") return;
  const isCertificate = failure.reason.startsWith("the certificate") && !insecureTls;
  throw new ServiceError(`Could not reach ${url.origin}: ${failure.reason}`, {
    ...(unusedProxy !== undefined && {
      detail: `The proxy of ${unusedProxy} is not used: it could change what the receiver gets.`,
    }),
    remedy: isCertificate
      ? "Set NODE_EXTRA_CA_CERTS=FILE to trust its certificate authority, or add --insecure-tls if the receiver is your own."
      : unusedProxy === undefined
        ? "Start the receiver, or check the URL."
        : "Start the receiver, check the URL, or run the test on a machine that reaches it directly.",
    done: "No message was delivered.",
  });
}

function verdictOf(
  check: ReceiverCheck,
  own: readonly ReceiverAnswer[] | undefined,
  all: readonly ReceiverAnswer[],
  isAccepted: boolean,
): CheckVerdict {
  const needsMessages = check.kind !== "behaviour";
  if (needsMessages && own === undefined) return { outcome: "not_run" };
  const verdict = check.judge(own ?? [], all, check.name);
  // An absence proves nothing if no message was accepted.
  const isMeaningful = needsMessages || isAccepted || verdict.outcome === "fail";
  return isMeaningful ? verdict : { outcome: "not_run" };
}

function testedCheck(
  check: ReceiverCheck & { readonly verdict: CheckVerdict },
  answers: readonly ReceiverAnswer[],
  diagnosis: readonly ReceiverDiagnosis[],
): TestedCheck {
  const { name, kind, severity, verdict } = check;
  const { outcome, message, note } = verdict;
  // The advice of the check is about one failure of several, such as a message that was accepted.
  const said = diagnosis.filter(({ checks }) => checks.includes(name)).map(({ says }) => says);
  const advice = said.length > 0 ? said.join(" ") : check.advice;
  return {
    name,
    kind,
    severity,
    outcome,
    ...(message === undefined ? {} : { message }),
    ...(note === undefined ? {} : { note }),
    messages: answers.map(({ message: { id, event, body } }) => ({
      id,
      event,
      bytes: Buffer.byteLength(body),
    })),
    responses: answers.map(({ status, ms, bodyStart, failure }) => ({
      ...(status === undefined ? {} : { status }),
      ms: Math.round(ms),
      ...(bodyStart === undefined ? {} : { bodyStart }),
      ...(failure === undefined ? {} : { failure: failure.reason }),
    })),
    ...(outcome === "fail" || outcome === "warn" ? { advice } : {}),
  };
}
