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

/** What is known of a request all the same. */
export interface AttemptFacts {
  /** Of a create: how often it went out. */
  readonly sent?: SendCount | undefined;
  /** Came, before the rest did not. */
  readonly head?: Pick<Response, "headers"> | undefined;
}

/** What is known of the last attempt. */
export interface LastAttempt extends AttemptFacts {
  readonly outcome: AttemptOutcome;
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** The error for an answer that did not come in time. */
function timedOut(call: RequestInfo, known: LastAttempt): AmpError {
  const { attempts, timeoutMs } = known;
  const seconds = `${timeoutMs / 1000} s`;
  if (known.outcome === "unsent") {
    const reason = `no connection came about within ${seconds}`;
    return hostUnreachable(call, { reason, final: false, connecting: false }, undefined);
  }
  const often = attempts === 1 ? "" : `, in ${attempts} attempts`;
  const reason = `no answer from ${call.host}${viaProxy(call)} within ${seconds}${often}`;
  const facts = { ...attemptFacts(call, known), ...effectUnknown(call) };
  return isUnsafe(call)
    ? new PartialError(`${outcomeUnknown(call)}: ${reason}`, facts)
    : new TimeoutError(capital(reason), {
        remedy: "A longer wait is set with --timeout, for example --timeout 2m.",
        ...facts,
      });
}

/** The error for a call that a signal broke off. */
export function interruptedError(
  call: RequestInfo,
  reason: unknown,
  known: AttemptFacts,
): AmpError {
  const facts = known.sent === "no" ? noEffect(call) : effectUnknown(call);
  // Of a read there is nothing to look into: it was the person's own wish.
  if (facts.done !== undefined && known.sent !== "no")
    Object.assign(facts, attemptFacts(call, known));
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError("Terminated", facts)
    : new InterruptedError("Interrupted", facts);
}

/** The error for a connection that failed, and for an answer without an end. */
export function requestError(call: RequestInfo, error: unknown, known: LastAttempt): AmpError {
  if (error instanceof OversizeError) return answerTooLarge(call, error, known);
  if (isTimeoutError(error)) return timedOut(call, known);
  const failure = networkFailure(error);
  return known.outcome === "lost"
    ? connectionLost(call, failure, error, known)
    : hostUnreachable(call, failure, error);
}

/** The error for a request that is not sent because the service wants to be left alone. */
export function rateLimited(call: RequestInfo, until: Date): AmpError {
  return new ServiceError(`Could not ${call.does}: the service asks for a pause between requests`, {
    retryable: true,
    retryAfter: until.toISOString(),
    done: ["Nothing was sent.", noEffect(call).done].filter(Boolean).join(" "),
  });
}

function answerTooLarge(
  call: RequestInfo,
  { message }: OversizeError,
  known: AttemptFacts,
): AmpError {
  const facts = {
    remedy: "A larger one is let through by --max-body, for example --max-body 500MB.",
    ...attemptFacts(call, known),
    ...effectUnknown(call),
  };
  return isUnsafe(call)
    ? new PartialError(`${outcomeUnknown(call)}: the answer has ${message}`, facts)
    : new ServiceError(`Could not ${call.does}: the answer has ${message}`, facts);
}

function hostUnreachable(
  call: RequestInfo,
  failure: Pick<NetworkFailure, "reason" | "remedy" | "final" | "connecting">,
  cause: unknown,
) {
  const { final } = failure;
  const { message, remedy } = proxyFailureText(call, failure, cause) ?? {
    message: `Could not reach ${call.host}: ${failure.reason}`,
    remedy: failure.remedy,
  };
  const local = isLoopback(new URL(`http://${call.host}`).hostname);
  return new ServiceError(
    message,
    {
      retryable: !final,
      ...noEffect(call),
      ...(remedy ? { remedy } : {}),
      ...(local && !final && !call.proxy ? { suggestion: "amp sandbox start" } : {}),
    },
    { cause },
  );
}

function connectionLost(
  call: RequestInfo,
  failure: NetworkFailure,
  cause: unknown,
  known: AttemptFacts,
): AmpError {
  const reason = `${failure.reason}${viaProxy(call)}`;
  const facts = { ...attemptFacts(call, known), ...effectUnknown(call) };
  return isUnsafe(call)
    ? new PartialError(`${outcomeUnknown(call)}: ${reason}`, facts, { cause })
    : new ServiceError(`Could not ${call.does}: ${reason}`, facts, { cause });
}

/** What names the request, for those who look into it. */
function attemptFacts(
  { requestId: clientRequestId }: RequestInfo,
  { head }: AttemptFacts,
): ErrorFacts {
  const requestId = head && requestIdOf(head.headers);
  return { ...(requestId ? { requestId } : {}), ...(clientRequestId ? { clientRequestId } : {}) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What to say of a request that did not reach the service. */
interface ProxyFailureText {
  readonly message: string;
  readonly remedy: string;
}

/** What stands between amp and the service: ` through the proxy proxy.example.com:3128`, or nothing. */
export function viaProxy({ proxy }: RequestInfo): string {
  return proxy === undefined ? "" : ` through the proxy ${proxy.host}`;
}

/** Says which of the two could not be reached, or did not want; undefined where there is no proxy. */
export function proxyFailureText(
  call: RequestInfo,
  { reason, remedy, connecting }: Pick<NetworkFailure, "reason" | "remedy" | "connecting">,
  error: unknown,
): ProxyFailureText | undefined {
  const { host, proxy } = call;
  if (proxy === undefined) return undefined;
  const { hostname } = new URL(`http://${host}`);
  const around = `NO_PROXY=${hostname} reaches it without the proxy.`;
  const refusal = proxyRefusalIn(error);
  if (refusal) return proxyRefusedText(call, proxy, refusal, around);
  if (connecting) {
    return {
      message: `Could not reach the proxy ${proxy.host} on the way to ${host}: ${reason}`,
      remedy: `Check ${proxy.variable}. ${around}`,
    };
  }
  // With a proxy that is spoken to by TLS, nothing tells whose certificate it is.
  const whose =
    proxy.url.protocol === "https:"
      ? reason.replace(/^its TLS certificate/u, "its TLS certificate, or that of the proxy,")
      : reason;
  return {
    message: `Could not reach ${host}${viaProxy(call)}: ${whose}`,
    remedy: [remedy, around].filter(Boolean).join(" "),
  };
}

function proxyRefusedText(
  { host }: RequestInfo,
  proxy: ProxyServer,
  { status }: ProxyRefusal,
  around: string,
) {
  const words = (what: string, remedy: string): ProxyFailureText => ({
    message: `Could not reach ${host}: the proxy ${proxy.host} ${what}`,
    remedy: `${remedy} ${around}`,
  });
  if (status !== 407) {
    return words(`answered ${status}`, "Ask its keepers whether it lets this host through.");
  }
  const form = `${proxy.variable}=${proxy.url.protocol}//USER:PASSWORD@${proxy.host}`;
  const encoded = "special characters percent-encoded (@ is %40)";
  return proxy.url.username + proxy.url.password === ""
    ? words("asks for a login", `Give it as ${form}, ${encoded}.`)
    : words("refuses the login", `Check user name and password in ${form}, ${encoded}.`);
}
