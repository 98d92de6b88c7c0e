import { isTimeoutError } from "ky";
import {
  type AmpError,
  type ErrorFacts,
  ServiceError,
  signalError,
  TimeoutError,
} from "../../errors.ts";
import { isLoopback, sandboxPortOf } from "../../runtime/loopback.ts";
import { suggest } from "../../values/suggested-command.ts";
import { moreTime } from "../../values/time.ts";
import { OversizeError, requestIds } from "../answer/answer.ts";
import {
  ITS_CERTIFICATE,
  type NetworkFailure,
  networkFailure,
  type ProxyRefusal,
  proxyRefusalIn,
} from "../network/network-failure.ts";
import type { ProxyServer } from "../network/proxy.ts";
import {
  effectUnknown,
  isUnsafe,
  noAnswer,
  noEffect,
  type RequestInfo,
} from "../request/request-info.ts";
import type { AttemptOutcome } from "../request/retry.ts";
import type { SendCount } from "../request/send-detector.ts";

/** The facts of an attempt that got no complete answer. */
export interface AttemptFacts {
  /** The number of times that a write was sent. */
  readonly sent?: SendCount | undefined;
  /** The head of the answer, if it arrived. */
  readonly head?: Pick<Response, "headers"> | undefined;
}

/** The facts of the last attempt. */
export interface LastAttempt extends AttemptFacts {
  readonly outcome: AttemptOutcome;
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** The error for a request that a signal interrupted. */
export function interruptedError(
  info: RequestInfo,
  reason: unknown,
  { sent, head }: AttemptFacts,
): AmpError {
  const facts = sent === "no" ? noEffect(info) : effectUnknown(info);
  // An interrupted read leaves nothing to investigate.
  const ids = facts.done !== undefined && sent !== "no" ? requestIds(info, head?.headers) : {};
  return signalError(reason, { ...facts, ...ids });
}

/** The error for a request that is not sent because the service asked for a longer pause. */
export function rateLimited(info: RequestInfo, until: Date): AmpError {
  return new ServiceError(`Could not ${info.does}: the service limits the rate of requests`, {
    retryable: true,
    retryAfter: until.toISOString(),
    done: ["Nothing was sent.", noEffect(info).done].filter(Boolean).join(" "),
  });
}

/** The remedy for a response that came too late. */
export function timeoutRemedy({ sources }: RequestInfo): string {
  return moreTime("--timeout 2m", sources?.timeout);
}

/** The error for a request that got no complete answer. */
export function requestError(info: RequestInfo, error: unknown, known: LastAttempt): AmpError {
  if (isTimeoutError(error)) return timedOut(info, known);
  if (error instanceof OversizeError) {
    const remedy = "Raise the limit, for example with AMP_MAX_BODY=500MB.";
    const facts = { remedy, ...requestIds(info, known.head?.headers) };
    return noAnswer(info, `the response is ${error.message}`, facts);
  }
  const failure = networkFailure(error);
  if (known.outcome !== "lost") return hostUnreachable(info, failure, error);
  const ids = requestIds(info, known.head?.headers);
  return noAnswer(info, `${failure.reason}${viaProxy(info)}`, ids, { cause: error });
}

function timedOut(info: RequestInfo, known: LastAttempt): AmpError {
  const { attempts, timeoutMs, outcome } = known;
  const time = `within ${timeoutMs / 1000} s`;
  if (outcome === "unsent") {
    const failure = { reason: `no connection ${time}`, final: false, connecting: false };
    return hostUnreachable(info, failure, undefined);
  }
  const often = attempts === 1 ? "" : ` (${attempts} attempts)`;
  const reason = `${info.host} did not answer${viaProxy(info)} ${time}${often}`;
  const ids = requestIds(info, known.head?.headers);
  if (isUnsafe(info)) return noAnswer(info, reason, ids);
  return new TimeoutError(`Could not ${info.does}: ${reason}`, {
    remedy: timeoutRemedy(info),
    ...ids,
    ...effectUnknown(info),
  });
}

function hostUnreachable(
  info: RequestInfo,
  failure: Pick<NetworkFailure, "reason" | "remedy" | "final" | "connecting">,
  cause: unknown,
): AmpError {
  const { final } = failure;
  const { message, remedy } = proxyFailureText(info, failure, cause) ?? {
    message: `Could not reach ${info.host}: ${failure.reason}`,
    remedy: failure.remedy,
  };
  const url = new URL(`http://${info.host}`);
  const isHere = isLoopback(url.hostname) && !final && !info.proxy;
  const sandbox = isHere && !info.sources?.isCi && startSandbox(url);
  return new ServiceError(
    message,
    {
      retryable: !final,
      ...noEffect(info),
      ...(remedy ? { remedy } : {}),
      ...sandbox,
    },
    { cause },
  );
}

/** The command that starts the sandbox which did not answer, and what else it may be. */
function startSandbox(url: Pick<URL, "hostname" | "port">): ErrorFacts {
  const port = sandboxPortOf(url);
  const suggestion = suggest("sandbox start", [], { port });
  if (port !== undefined) return { suggestion };
  const remedy = "If the sandbox has another port, add --base-url http://127.0.0.1:PORT/v1.";
  return { suggestion, remedy };
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

/** The words that say whether the proxy or the service failed; `undefined` without a proxy. */
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
  // If the proxy uses TLS too, the error does not say whose certificate it means.
  const whose =
    proxy.url.protocol === "https:"
      ? reason.replace(ITS_CERTIFICATE, `${ITS_CERTIFICATE}, or that of the proxy,`)
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
