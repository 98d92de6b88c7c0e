import { isTimeoutError } from "ky";
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
import { throughProxy, wayOf } from "./proxy-words.ts";
import type { Happening } from "./retry.ts";
import type { Sent } from "./sent-watch.ts";

/** What is known of a request all the same. */
export interface Known {
  /** Of a create: how often it went out. */
  readonly sent?: Sent | undefined;
  /** Came, before the rest did not. */
  readonly head?: Pick<Response, "headers"> | undefined;
}

/** What is known of the last attempt. */
export interface LastAttempt extends Known {
  readonly happening: Happening;
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** The error for an answer that did not come in time. */
function timedOut(call: Call, known: LastAttempt): AmpError {
  const { attempts, timeoutMs } = known;
  const seconds = `${timeoutMs / 1000} s`;
  if (known.happening === "unsent") {
    const reason = `no connection came about within ${seconds}`;
    return unreachable(call, { reason, final: false, connecting: false }, undefined);
  }
  const often = attempts === 1 ? "" : `, in ${attempts} attempts`;
  const reason = `no answer from ${call.host}${wayOf(call)} within ${seconds}${often}`;
  const facts = { ...factsOf(call, known), ...maybeDone(call) };
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: ${reason}`, facts)
    : new TimeoutError(capital(reason), {
        remedy: "A longer wait is set with --timeout, for example --timeout 2m.",
        ...facts,
      });
}

/** The error for a call that a signal broke off. */
export function brokenOff(call: Call, reason: unknown, known: Known): AmpError {
  const facts = known.sent === "no" ? nothingDone(call) : maybeDone(call);
  // Of a read there is nothing to look into: it was the person's own wish.
  if (facts.done !== undefined && known.sent !== "no") Object.assign(facts, factsOf(call, known));
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError("Terminated", facts)
    : new InterruptedError("Interrupted", facts);
}

/** The error for a connection that failed, and for an answer without an end. */
export function failed(call: Call, error: unknown, known: LastAttempt): AmpError {
  if (error instanceof OversizeError) return oversized(call, error, known);
  if (isTimeoutError(error)) return timedOut(call, known);
  const failure = networkFailure(error);
  return known.happening === "lost"
    ? lost(call, failure, error, known)
    : unreachable(call, failure, error);
}

/** The error for a request that is not sent because the service wants to be left alone. */
export function heldBack(call: Call, until: Date): AmpError {
  return new ServiceError(`Could not ${call.does}: the service asks for a pause between requests`, {
    retryable: true,
    retryAfter: until.toISOString(),
    done: ["Nothing was sent.", nothingDone(call).done].filter(Boolean).join(" "),
  });
}

function oversized(call: Call, { message }: OversizeError, known: Known): AmpError {
  const facts = {
    remedy: "A larger one is let through by --max-body, for example --max-body 500MB.",
    ...factsOf(call, known),
    ...maybeDone(call),
  };
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: the answer has ${message}`, facts)
    : new ServiceError(`Could not ${call.does}: the answer has ${message}`, facts);
}

function unreachable(
  call: Call,
  failure: Pick<NetworkFailure, "reason" | "remedy" | "final" | "connecting">,
  cause: unknown,
) {
  const { final } = failure;
  const { message, remedy } = throughProxy(call, failure, cause) ?? {
    message: `Could not reach ${call.host}: ${failure.reason}`,
    remedy: failure.remedy,
  };
  const local = isLoopback(new URL(`http://${call.host}`).hostname);
  return new ServiceError(
    message,
    {
      retryable: !final,
      ...nothingDone(call),
      ...(remedy ? { remedy } : {}),
      ...(local && !final && !call.proxy ? { suggestion: "amp sandbox start" } : {}),
    },
    { cause },
  );
}

function lost(call: Call, failure: NetworkFailure, cause: unknown, known: Known): AmpError {
  const reason = `${failure.reason}${wayOf(call)}`;
  const facts = { ...factsOf(call, known), ...maybeDone(call) };
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: ${reason}`, facts, { cause })
    : new ServiceError(`Could not ${call.does}: ${reason}`, facts, { cause });
}

/** What names the request, for those who look into it. */
function factsOf({ requestId: clientRequestId }: Call, { head }: Known): ErrorFacts {
  const requestId = head && requestIdOf(head.headers);
  return { ...(requestId ? { requestId } : {}), ...(clientRequestId ? { clientRequestId } : {}) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
