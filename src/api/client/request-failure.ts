import "../network/own-fetch.ts";

import { isTimeoutError } from "ky";
import { type AmpError, type ErrorFacts, signalError } from "../../errors.ts";
import { isLoopback, sandboxPortOf } from "../../runtime/loopback.ts";
import { defined } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { moreTime } from "../../values/time.ts";
import { OversizeError, requestIds } from "../answer/answer.ts";
import { apiErrors } from "../errors.ts";
import {
  ITS_CERTIFICATE,
  type NetworkFailure,
  networkFailure,
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
import type { SendCount } from "../request/undici-channels.ts";

type Head = Pick<Response, "headers"> | undefined;

/** The error for a request that a signal interrupted. */
export function interruptedError(
  info: RequestInfo,
  reason: unknown,
  { sent, head }: { readonly sent?: SendCount | undefined; readonly head?: Head },
): AmpError {
  const facts = sent === "no" ? noEffect(info) : effectUnknown(info);
  // An interrupted read leaves nothing to investigate.
  const ids = facts.done !== undefined && sent !== "no" ? requestIds(info, head?.headers) : {};
  return signalError(reason, { ...facts, ...ids });
}

/** The error for a request that is not sent because the service asked for a longer pause. */
export function rateLimited(info: RequestInfo, until: Date): AmpError {
  const done = ["Nothing was sent.", noEffect(info).done].filter(Boolean).join(" ");
  return apiErrors.rate_limited(info.does, until.toISOString(), done);
}

/** The remedy for a response that came too late. */
export function timeoutRemedy({ sources }: RequestInfo): string {
  return moreTime("--timeout 2m", sources?.timeout);
}

/** The error for a request whose last attempt got no complete answer. */
export function requestError(
  info: RequestInfo,
  error: unknown,
  last: {
    readonly outcome: AttemptOutcome;
    readonly head: Head;
    readonly attempts: number;
    readonly timeoutMs: number;
  },
): AmpError {
  const { outcome, head, attempts, timeoutMs } = last;
  const ids = requestIds(info, head?.headers);
  if (error instanceof OversizeError) {
    const remedy = "Raise the limit, for example with AMP_MAX_BODY=500MB.";
    return noAnswer(info, `the response is ${error.message}`, { remedy, ...ids });
  }
  const isLate = isTimeoutError(error);
  const time = `within ${timeoutMs / 1000} s`;
  if (outcome !== "lost") {
    const noConnection = { reason: `no connection ${time}`, final: false, connecting: false };
    return hostUnreachable(info, isLate ? noConnection : networkFailure(error), error);
  }
  if (!isLate) {
    const { reason } = networkFailure(error);
    return noAnswer(info, `${reason}${viaProxy(info)}`, ids, error);
  }
  const often = attempts === 1 ? "" : ` (${attempts} attempts)`;
  const reason = `${info.url.host} did not answer${viaProxy(info)} ${time}${often}`;
  if (isUnsafe(info)) return noAnswer(info, reason, ids);
  const facts = { remedy: timeoutRemedy(info), ...ids, ...effectUnknown(info) };
  return apiErrors.answer_late(info.does, reason, facts);
}

type Unreachable = Pick<NetworkFailure, "reason" | "remedy" | "final" | "connecting">;

function hostUnreachable(info: RequestInfo, failure: Unreachable, cause: unknown): AmpError {
  const { url, proxy, sources } = info;
  const { final, reason } = failure;
  const { message, remedy } = proxy
    ? proxyFailureText(info, proxy, failure, cause)
    : { message: `Could not reach ${url.host}: ${reason}`, remedy: failure.remedy };
  const mayBeSandbox = isLoopback(url.hostname) && !final && !proxy && !sources?.isCi;
  const facts = { retryable: !final, ...noEffect(info), ...defined({ remedy }) };
  const all = mayBeSandbox ? { ...facts, ...startSandbox(url) } : facts;
  return apiErrors.service_unreachable(message, all, cause);
}

/** The command that starts the sandbox which did not answer, and what else it may be. */
function startSandbox(url: URL): ErrorFacts {
  const port = sandboxPortOf(url);
  const suggestion = suggest("sandbox start", [], { port });
  if (port !== undefined) return { suggestion };
  const remedy = "If the sandbox has another port, add --base-url http://127.0.0.1:PORT/v1.";
  return { suggestion, remedy };
}

/** A part of a sentence: ` through the proxy proxy.example.com:3128`; empty without a proxy. */
function viaProxy({ proxy }: RequestInfo): string {
  return proxy === undefined ? "" : ` through the proxy ${proxy.host}`;
}

/** The words that say whether the proxy or the service failed. */
function proxyFailureText(
  info: RequestInfo,
  proxy: ProxyServer,
  { reason, remedy, connecting }: Unreachable,
  error: unknown,
): { readonly message: string; readonly remedy: string } {
  const { host, hostname } = info.url;
  const around = `To bypass the proxy, set NO_PROXY=${hostname}.`;
  const refusal = proxyRefusalIn(error);
  if (refusal) {
    const { what, advice } = proxyRefusedText(proxy, refusal.status);
    return {
      message: `Could not reach ${host}: the proxy ${proxy.host} ${what}`,
      remedy: `${advice} ${around}`,
    };
  }
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

function proxyRefusedText({ url, host, variable }: ProxyServer, status: number) {
  if (status !== 407) {
    const advice = "Ask the administrator of the proxy to allow this host.";
    return { what: `answered ${status}`, advice };
  }
  const form = `${variable}=${url.protocol}//USER:PASSWORD@${host}`;
  const encoded = "with special characters percent-encoded (@ is %40)";
  return url.username + url.password === ""
    ? { what: "requires a login", advice: `Set ${form}, ${encoded}.` }
    : {
        what: "rejected the login",
        advice: `Check user name and password in ${form}, ${encoded}.`,
      };
}
