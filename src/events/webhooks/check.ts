/**
 * A check of a receiver as a record: the messages that it sends, and what their answers say. The
 * checks themselves are in `checks.ts`.
 */

import type { MessageAttempt } from "../delivery.ts";
import { isAccepted } from "../message/payloads.ts";
import type { PostFailure } from "../message/post.ts";
import type { MessageMaker, TestMessage } from "./messages.ts";

/** The attempt at a message, and what else was seen of the answer. */
export interface ReceiverAnswer extends MessageAttempt {
  readonly message: TestMessage;
  readonly durationMs: number;
  readonly location?: string;
  /** The header `webhook-delivery`, by which a receiver controls the platform's deliveries. */
  readonly control?: string;
  /** The seconds after which a receiver that limits the rate may get the next message. */
  readonly retryAfterSeconds?: number;
  /** Why no answer came. */
  readonly failure?: PostFailure;
}

/** `warn` does not fail the test; `not_run` means that the check could not be run. */
export type CheckOutcome = "pass" | "fail" | "warn" | "not_run";

/** The verdict on the answers to a check. */
export interface CheckVerdict {
  readonly outcome: CheckOutcome;
  /** The observation, as a sentence without full stop; absent for a pass. */
  readonly message?: string;
  /** A few words beside the name of a check that passed. */
  readonly note?: string;
  /** The failures by name: the diagnosis is made of those of all checks. */
  readonly symptoms?: readonly string[];
}

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
  /** Whether it is conclusive also if the receiver accepts no plain message. */
  readonly isConclusiveAlone?: true;
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

/** A check with what most of them have. */
export function receiverCheck(
  kind: ReceiverCheck["kind"],
  name: string,
  facts: Pick<ReceiverCheck, "title" | "advice" | "send"> & Partial<ReceiverCheck>,
): ReceiverCheck {
  return { name, kind, severity: "error", judge: judgeByExpectation, ...facts };
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
export const CRASH = "crash";

/** The failure that a redirect in place of a refusal is called. */
export const REDIRECTED_REFUSAL = "redirected-refusal";

/** Compares each answer with what its message expects; the first difference is reported. */
export const judgeByExpectation: ReceiverCheck["judge"] = (own, _all, name) => {
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
  if (first === undefined) return { outcome: "pass" };
  const symptoms = new Set(failing.map((answer) => symptomOf(answer, name)));
  return {
    outcome: failing.length > 0 ? "fail" : "warn",
    message: `${answerText(first)} for ${first.message.what}`,
    symptoms: failing.length > 0 ? [...symptoms] : [CRASH],
  };
};

function symptomOf(answer: ReceiverAnswer, name: string): string {
  const { failure, message } = answer;
  if (failure?.kind === "late" || failure?.kind === "unreachable") return failure.kind;
  if (isRedirect(answer) && message.expect === "refuse") return REDIRECTED_REFUSAL;
  return message.symptom ?? name;
}

function outcomeOf(answer: ReceiverAnswer): CheckOutcome {
  const { status = 0, failure, message } = answer;
  if (message.expect === "take") return isAccepted(answer) ? "pass" : "fail";
  if (status >= 400 && status < 500) return "pass";
  // A receiver that crashes does not take the message either.
  return status >= 500 || failure?.kind === "closed" ? "warn" : "fail";
}
