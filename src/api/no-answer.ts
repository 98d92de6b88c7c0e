import {
  type AmpError,
  type ErrorFacts,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
  TimeoutError,
} from "../errors.ts";
import { isLoopback } from "../loopback.ts";
import { OversizeError, requestIdOf } from "./answer.ts";
import { type Call, isUnsafe, maybeDone, nothingDone, unknownWhether } from "./call.ts";
import { type NetworkFailure, networkFailure } from "./network-failure.ts";
import type { Sent } from "./sent-watch.ts";

/** What is known of a request all the same. */
export interface Known {
  /** Of a create: how often it went out. */
  readonly sent?: Sent | undefined;
  /** Came, before the rest did not. */
  readonly head?: Response | undefined;
}

/** The error for an answer that did not come in time. */
export function timedOut(call: Call, timeoutMs: number, known: Known): AmpError {
  const seconds = `${timeoutMs / 1000} s`;
  if (known.sent === "no") {
    const reason = `no connection came about within ${seconds}`;
    return unreachable(call, { reason, final: false }, undefined);
  }
  const reason = `no answer from ${call.host} within ${seconds}`;
  const facts = { ...factsOf(known), ...maybeDone(call) };
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: ${reason}`, facts)
    : new TimeoutError(capital(reason), {
        remedy: "A longer wait is set with --timeout, for example --timeout 2m.",
        ...facts,
      });
}

/** The error for a call that a signal broke off. */
export function brokenOff(call: Call, reason: unknown, known: Known): AmpError {
  const facts = known.sent === "no" ? nothingDone(call) : { ...factsOf(known), ...maybeDone(call) };
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError("Terminated", facts)
    : new InterruptedError("Interrupted", facts);
}

/** The error for a connection that failed, and for an answer without an end. */
export function failed(call: Call, error: unknown, known: Known): AmpError {
  if (error instanceof OversizeError) return oversized(call, error, known);
  const failure = networkFailure(error);
  const sent = SENT[known.sent ?? "unclear"] ?? failure.sent;
  return sent ? lost(call, failure, error, known) : unreachable(call, failure, error);
}

/** What was seen goes before what the error says: the last of several attempts speaks in it. */
const SENT: Readonly<Record<Sent, boolean | undefined>> = {
  no: false,
  once: true,
  several: true,
  unclear: undefined,
};

function oversized(call: Call, { message }: OversizeError, known: Known): AmpError {
  const facts = { ...factsOf(known), ...maybeDone(call) };
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: the answer has ${message}`, facts)
    : new ServiceError(`Could not ${call.does}: the answer has ${message}`, facts);
}

function unreachable(
  call: Call,
  { reason, remedy, final }: Pick<NetworkFailure, "reason" | "remedy" | "final">,
  cause: unknown,
) {
  const local = isLoopback(new URL(`http://${call.host}`).hostname);
  return new ServiceError(
    `Could not reach ${call.host}: ${reason}`,
    {
      retryable: !final,
      ...nothingDone(call),
      ...(remedy ? { remedy } : {}),
      ...(local && !final ? { suggestion: "amp sandbox start" } : {}),
    },
    { cause },
  );
}

function lost(call: Call, { reason }: NetworkFailure, cause: unknown, known: Known): AmpError {
  const facts = { ...factsOf(known), ...maybeDone(call) };
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: ${reason}`, facts, { cause })
    : new ServiceError(`Could not ${call.does}: ${reason}`, facts, { cause });
}

/** The head of an answer names the request, for those who look into it. */
function factsOf({ head }: Known): ErrorFacts {
  const requestId = head && requestIdOf(head.headers);
  return requestId ? { requestId } : {};
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
