import { isTimeoutError } from "ky";
import {
  type AmpError,
  type ErrorFacts,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
  TimeoutError,
} from "../../errors.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { suggest } from "../../values/suggested-command.ts";
import { OversizeError, requestIdOf } from "../answer/answer.ts";
import { type NetworkFailure, networkFailure } from "../network/network-failure.ts";
import { type ProxyRefusal, type ProxyServer, proxyRefusalIn } from "../network/proxy.ts";
import {
  effectUnknown,
  isUnsafe,
  noEffect,
  outcomeUnknown,
  type RequestInfo,
} from "../request/request-info.ts";
import type { AttemptOutcome } from "../request/retry.ts";
import type { SendCount } from "../request/send-detector.ts";

/** The facts of an attempt that got no complete answer. */
export interface AttemptFacts {
  /** How often a create was sent. */
  readonly sent?: SendCount | undefined;
  /** The head of the answer, if at least that came. */
  readonly head?: Pick<Response, "headers"> | undefined;
}

/** The facts of the last attempt. */
export interface LastAttempt extends AttemptFacts {
  readonly outcome: AttemptOutcome;
  readonly attempts: number;
  readonly timeoutMs: number;
}

function timedOut(info: RequestInfo, known: LastAttempt): AmpError {
  const { attempts, timeoutMs } = known;
  const seconds = `${timeoutMs / 1000} s`;
  if (known.outcome === "unsent") {
    const reason = `no connection within ${seconds}`;
    return hostUnreachable(info, { reason, final: false, connecting: false }, undefined);
  }
  const often = attempts === 1 ? "" : ` (${attempts} attempts)`;
  const reason = `${info.host} did not answer${viaProxy(info)} within ${seconds}${often}`;
  const facts = { ...attemptFacts(info, known), ...effectUnknown(info) };
  return isUnsafe(info)
    ? new PartialError(`${outcomeUnknown(info)}: ${reason}`, facts)
    : new TimeoutError(`Could not ${info.does}: ${reason}`, {
        remedy: "Allow more time with --timeout, for example --timeout 2m.",
        ...facts,
      });
}

/** The error for a request that a signal interrupted. */
export function interruptedError(
  info: RequestInfo,
  reason: unknown,
  known: AttemptFacts,
): AmpError {
  const facts = known.sent === "no" ? noEffect(info) : effectUnknown(info);
  // An interrupted read leaves nothing to investigate.
  if (facts.done !== undefined && known.sent !== "no")
    Object.assign(facts, attemptFacts(info, known));
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError("Terminated", facts)
    : new InterruptedError("Interrupted", facts);
}

/** The error for a request that got no complete answer. */
export function requestError(info: RequestInfo, error: unknown, known: LastAttempt): AmpError {
  if (error instanceof OversizeError) return answerTooLarge(info, error, known);
  if (isTimeoutError(error)) return timedOut(info, known);
  const failure = networkFailure(error);
  return known.outcome === "lost"
    ? connectionLost(info, failure, error, known)
    : hostUnreachable(info, failure, error);
}

/** The error for a request that is not sent because the service asked for a longer pause. */
export function rateLimited(info: RequestInfo, until: Date): AmpError {
  return new ServiceError(`Could not ${info.does}: the service asks to slow down`, {
    retryable: true,
    retryAfter: until.toISOString(),
    done: ["Nothing was sent.", noEffect(info).done].filter(Boolean).join(" "),
  });
}

function answerTooLarge(
  info: RequestInfo,
  { message }: OversizeError,
  known: AttemptFacts,
): AmpError {
  const facts = {
    remedy: "Raise the limit with --max-body, for example --max-body 500MB.",
    ...attemptFacts(info, known),
    ...effectUnknown(info),
  };
  return isUnsafe(info)
    ? new PartialError(`${outcomeUnknown(info)}: the response is ${message}`, facts)
    : new ServiceError(`Could not ${info.does}: the response is ${message}`, facts);
}

function hostUnreachable(
  info: RequestInfo,
  failure: Pick<NetworkFailure, "reason" | "remedy" | "final" | "connecting">,
  cause: unknown,
) {
  const { final } = failure;
  const { message, remedy } = proxyFailureText(info, failure, cause) ?? {
    message: `Could not reach ${info.host}: ${failure.reason}`,
    remedy: failure.remedy,
  };
  const local = isLoopback(new URL(`http://${info.host}`).hostname);
  return new ServiceError(
    message,
    {
      retryable: !final,
      ...noEffect(info),
      ...(remedy ? { remedy } : {}),
      ...(local && !final && !info.proxy ? { suggestion: suggest("sandbox start") } : {}),
    },
    { cause },
  );
}

function connectionLost(
  info: RequestInfo,
  failure: NetworkFailure,
  cause: unknown,
  known: AttemptFacts,
): AmpError {
  const reason = `${failure.reason}${viaProxy(info)}`;
  const facts = { ...attemptFacts(info, known), ...effectUnknown(info) };
  return isUnsafe(info)
    ? new PartialError(`${outcomeUnknown(info)}: ${reason}`, facts, { cause })
    : new ServiceError(`Could not ${info.does}: ${reason}`, facts, { cause });
}

/** The identifiers of the request, for those who investigate it. */
function attemptFacts(
  { requestId: clientRequestId }: RequestInfo,
  { head }: AttemptFacts,
): ErrorFacts {
  const requestId = head && requestIdOf(head.headers);
  return { ...(requestId ? { requestId } : {}), ...(clientRequestId ? { clientRequestId } : {}) };
}

/** The words for a request that did not get past the proxy. */
interface ProxyFailureText {
  readonly message: string;
  readonly remedy: string;
}

/** A part of a sentence: ` through the proxy proxy.example.com:3128`; empty without a proxy. */
function viaProxy({ proxy }: RequestInfo): string {
  return proxy === undefined ? "" : ` through the proxy ${proxy.host}`;
}

/** Tells whether the proxy or the service failed; `undefined` without a proxy. */
function proxyFailureText(
  info: RequestInfo,
  { reason, remedy, connecting }: Pick<NetworkFailure, "reason" | "remedy" | "connecting">,
  error: unknown,
): ProxyFailureText | undefined {
  const { host, proxy } = info;
  if (proxy === undefined) return undefined;
  const { hostname } = new URL(`http://${host}`);
  const around = `To bypass the proxy, set NO_PROXY=${hostname}.`;
  const refusal = proxyRefusalIn(error);
  if (refusal) return proxyRefusedText(info, proxy, refusal, around);
  if (connecting) {
    return {
      message: `Could not reach the proxy ${proxy.host} on the way to ${host}: ${reason}`,
      remedy: `Check ${proxy.variable}. ${around}`,
    };
  }
  // If the proxy uses TLS too, the error does not tell whose certificate it means.
  const whose =
    proxy.url.protocol === "https:"
      ? reason.replace(/^its TLS certificate/u, "its TLS certificate, or that of the proxy,")
      : reason;
  return {
    message: `Could not reach ${host}${viaProxy(info)}: ${whose}`,
    remedy: [remedy, around].filter(Boolean).join(" "),
  };
}

function proxyRefusedText(
  { host }: RequestInfo,
  proxy: ProxyServer,
  { status }: ProxyRefusal,
  around: string,
) {
  const text = (what: string, remedy: string): ProxyFailureText => ({
    message: `Could not reach ${host}: the proxy ${proxy.host} ${what}`,
    remedy: `${remedy} ${around}`,
  });
  if (status !== 407) {
    return text(`answered ${status}`, "Ask the administrator of the proxy to allow this host.");
  }
  const form = `${proxy.variable}=${proxy.url.protocol}//USER:PASSWORD@${proxy.host}`;
  const encoded = "with special characters percent-encoded (@ is %40)";
  return proxy.url.username + proxy.url.password === ""
    ? text("requires a login", `Set ${form}, ${encoded}.`)
    : text("rejected the login", `Check user name and password in ${form}, ${encoded}.`);
}
