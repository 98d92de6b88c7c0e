import { isAccepted } from "../events/message.ts";
import { defined } from "../values/json.ts";
import { KNOWN_EVENTS } from "./accept-checks.ts";
import {
  type CheckOutcome,
  type CheckVerdict,
  isRejection,
  type ReceiverAnswer,
  type ReceiverCheck,
} from "./check.ts";
import { CHECKS } from "./checks.ts";
import { diagnose, type ReceiverDiagnosis } from "./diagnosis.ts";
import {
  type BaseMessage,
  type MessageOptions,
  messageMaker,
  type TestMessage,
} from "./messages.ts";
import { createSender, type Receiver, type SentMessages } from "./send.ts";
import { MISTAKEN_SIGNING, mistakeAdvice, type SigningWay } from "./signing-ways.ts";

/** The result of one check. */
export interface TestedCheck
  extends Pick<ReceiverCheck, "name" | "kind" | "severity">,
    Pick<CheckVerdict, "outcome" | "message" | "note"> {
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
  readonly checks: readonly string[];
  readonly signal: AbortSignal;
  readonly onCheck?: (name: string, number: number) => void;
  /** Waits; tests do not. */
  readonly wait?: (ms: number) => Promise<void>;
}

/**
 * Examines a receiver: sends the messages of each check, one by one, and judges the answers.
 * @throws {ServiceError} where the receiver cannot be reached
 */
export async function testReceiver(plan: ReceiverTestPlan): Promise<ReceiverTest> {
  const sent = createSender(plan);
  const known = await sendKnownEvents(plan, sent);
  await sendChecks(plan, sent, known);
  return resultOf(plan, sent, known);
}

/**
 * What the receiver accepts: the other checks vary it, and are inconclusive if there is nothing.
 */
interface Known {
  readonly isPlainAccepted: boolean;
  readonly accepted: BaseMessage | undefined;
  /** The mistaken way of signing that it accepts instead of the platform's. */
  readonly signing: SigningWay | undefined;
}

/** Sends the known events, or a plain message if that check was not chosen. */
async function sendKnownEvents(plan: ReceiverTestPlan, sent: SentMessages): Promise<Known> {
  const check = CHECKS.find(({ name }) => name === KNOWN_EVENTS && plan.checks.includes(name));
  plan.onCheck?.(KNOWN_EVENTS, 1);
  const maker = messageMaker(plan, KNOWN_EVENTS);
  const { base } = maker;
  const answers =
    check === undefined
      ? await sent.send([messageMaker(plan, "plain").taken(base.event)])
      : await sent.send(check.send(maker), true);
  sent.byCheck.set(KNOWN_EVENTS, answers);
  // One that fails for an event type may be examined by means of another.
  const plain = answers.find(isAccepted)?.message;
  const found = isRejection(answers[0])
    ? await findSigning({ ...plan, base }, async (one) => (await sent.send([one]))[0])
    : undefined;
  const { event, body } = plain ?? found?.message ?? {};
  const accepted = event === undefined || body === undefined ? undefined : { event, body };
  return { isPlainAccepted: plain !== undefined, accepted, signing: found?.signing };
}

/** Sends the messages of the other checks that were chosen, until the receiver is gone. */
async function sendChecks(
  plan: ReceiverTestPlan,
  sent: SentMessages,
  { accepted, signing }: Known,
): Promise<void> {
  const chosen = CHECKS.filter(({ name }) => plan.checks.includes(name));
  const options = accepted === undefined ? plan : { ...plan, signing, base: accepted };
  for (const [at, check] of chosen.entries()) {
    const { name, isConclusiveAlone } = check;
    if (name === KNOWN_EVENTS || !(accepted || isConclusiveAlone)) continue;
    // A message whose signature fits the changed body says nothing about unchanged bytes.
    if (signing?.changesBody && name === "raw-body") continue;
    plan.onCheck?.(name, at + 1);
    const answers = await sent.send(check.send(messageMaker(options, name)));
    sent.byCheck.set(name, answers);
    if (answers.at(-1)?.failure?.kind === "unreachable") return;
  }
}

function resultOf(
  { receiver, seed, checks }: ReceiverTestPlan,
  sent: SentMessages,
  { isPlainAccepted, accepted, signing }: Known,
): ReceiverTest {
  // The checks are inconclusive because the plain message is not accepted.
  const isShown = ({ name }: ReceiverCheck) =>
    checks.includes(name) || (name === KNOWN_EVENTS && !isPlainAccepted);
  const judged = CHECKS.filter(isShown).map((check) => {
    const verdict = verdictOf(check, sent, accepted !== undefined);
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
    checks: judged.map((check) =>
      testedCheck(check, sent.byCheck.get(check.name) ?? [], diagnosis),
    ),
    diagnosis,
  };
}

/** The mistaken way of signing that a receiver accepts, with the message that it accepted. */
async function findSigning(
  plan: MessageOptions & { readonly base: BaseMessage },
  send: (message: TestMessage) => Promise<ReceiverAnswer | undefined>,
): Promise<{ readonly signing: SigningWay; readonly message: TestMessage } | undefined> {
  for (const [at, signing] of MISTAKEN_SIGNING.entries()) {
    const message = messageMaker({ ...plan, signing }, `signing-${at}`).taken(plan.base.event);
    const answer = await send(message);
    if (answer !== undefined && isAccepted(answer)) return { signing, message };
    // It limits the rate, or stopped.
    if (!isRejection(answer)) return undefined;
  }
  return undefined;
}

function verdictOf(
  check: ReceiverCheck,
  { all, byCheck }: SentMessages,
  isAnyAccepted: boolean,
): CheckVerdict {
  const own = byCheck.get(check.name);
  const needsMessages = check.kind !== "behaviour";
  if (needsMessages && own === undefined) return { outcome: "not_run" };
  const verdict = check.judge(own ?? [], all, check.name);
  // An absence proves nothing if no message was accepted.
  const isMeaningful = needsMessages || isAnyAccepted || verdict.outcome === "fail";
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
    ...defined({ name, kind, severity, outcome, message, note }),
    messages: answers.map(({ message: { id, event, body } }) => ({
      id,
      event,
      bytes: Buffer.byteLength(body),
    })),
    responses: answers.map(({ status, ms, bodyStart, failure }) =>
      defined({ status, ms: Math.round(ms), bodyStart, failure: failure?.reason }),
    ),
    ...(outcome === "fail" || outcome === "warn" ? { advice } : {}),
  };
}
