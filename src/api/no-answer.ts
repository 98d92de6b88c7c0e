import {
  type AmpError,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
  TimeoutError,
} from "../errors.ts";
import { OversizeError } from "./answer.ts";
import { type Call, isUnsafe, maybeDone, nothingDone, unknownWhether } from "./call.ts";
import { type NetworkFailure, networkFailure } from "./network-failure.ts";

/** The error for an answer that did not come in time. */
export function timedOut(call: Call, timeoutMs: number): AmpError {
  const reason = `no answer from ${call.host} within ${timeoutMs / 1000} s`;
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: ${reason}`, maybeDone(call))
    : new TimeoutError(capital(reason), {
        remedy: "A longer wait is set with --timeout, for example --timeout 2m.",
        ...maybeDone(call),
      });
}

/** The error for a call that a signal broke off. */
export function brokenOff(call: Call, reason: unknown, sent: boolean): AmpError {
  const facts = sent ? maybeDone(call) : nothingDone(call);
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError("Terminated", facts)
    : new InterruptedError("Interrupted", facts);
}

/** The error for a connection that failed, and for an answer without an end. */
export function failed(call: Call, error: unknown): AmpError {
  if (error instanceof OversizeError) return oversized(call, error);
  const failure = networkFailure(error);
  return failure.sent ? lost(call, failure, error) : unreachable(call, failure, error);
}

function oversized(call: Call, { message }: OversizeError): AmpError {
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: the answer has ${message}`, maybeDone(call))
    : new ServiceError(`Could not ${call.does}: the answer has ${message}`, maybeDone(call));
}

function unreachable(call: Call, { reason, remedy, final }: NetworkFailure, cause: unknown) {
  const local = /^(?:localhost|127\.|\[::1\])/u.test(call.host);
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

function lost(call: Call, { reason }: NetworkFailure, cause: unknown): AmpError {
  return isUnsafe(call)
    ? new PartialError(`${unknownWhether(call)}: ${reason}`, maybeDone(call), { cause })
    : new ServiceError(`Could not ${call.does}: ${reason}`, maybeDone(call), { cause });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
