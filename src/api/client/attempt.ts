import { type BeforeRequestHook, isTimeoutError } from "ky";
import { AuthError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import {
  type BodyLimits,
  type HttpAnswer,
  OversizeError,
  readAnswer,
  requestIdOf,
} from "../answer/answer.ts";
import { networkFailure } from "../network/network-failure.ts";
import { redirectOf } from "../request/redirect.ts";
import { isUnsafe, type RequestInfo } from "../request/request-info.ts";
import type { AttemptOutcome } from "../request/retry.ts";
import { detectSends, type SendCount } from "../request/send-detector.ts";
import type { ClientOptions } from "./client-options.ts";

/** A request before it is sent. */
export interface OutgoingRequest {
  readonly info: RequestInfo;
  readonly url: URL;
  /** All headers but the credential and the request ID, which {@link identify} attaches. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** The limits of the answer, which is read to its end; absent: its body is left unread. */
  readonly limits?: BodyLimits;
  /** The size beyond which a list is left open; see {@link readAnswer}. */
  readonly wholeUpTo?: number | undefined;
  /** Whether the caller retries the request itself. */
  readonly singleAttempt?: boolean | undefined;
  /** Ends only the wait before the request is sent. */
  readonly waitSignal?: AbortSignal;
}

/** One attempt at a request, as far as it has come. */
export interface Attempt {
  /** The number of the attempt, from 1. */
  readonly nth: number;
  /** The number of times that a write was sent so far; `undefined` if unknown. */
  sent: () => SendCount | undefined;
  /** The head of the answer, even if the rest fails. */
  response?: Response;
  /** The answer, read to its end. */
  answer?: HttpAnswer;
}

/**
 * Attaches the credential and the headers that identify the request. No other code does; the
 * credential and the trace go only to the origin of the base URL.
 */
export function identify(
  { baseUrl, credential, trace, userAgent }: ClientOptions,
  { requestId }: RequestInfo,
): BeforeRequestHook {
  return ({ request: { url, headers } }) => {
    headers.set("user-agent", userAgent);
    if (requestId) headers.set("x-request-id", requestId);
    const isOwn = new URL(url).origin === new URL(baseUrl).origin;
    for (const [name, value] of Object.entries(isOwn ? { ...trace } : {})) headers.set(name, value);
    if (!credential) return;
    if (!isOwn) throw new Error("not the base URL");
    // The error of `Headers` would show the value.
    if (!/^[\x21-\x7e\x80-\xff]+$/u.test(credential.secret)) {
      throw new AuthError("The credential contains characters that cannot be sent", {
        suggestion: suggest("auth login"),
      });
    }
    if (credential.kind === "api-key") headers.set("x-api-key", credential.secret);
    else headers.set("authorization", `Bearer ${credential.secret}`);
  };
}

interface Receiving {
  readonly out: OutgoingRequest;
  readonly options: ClientOptions;
  readonly attempt: Attempt;
  /** The time left for all attempts. */
  readonly leftMs: () => number;
}

/**
 * Sends a request once, follows its redirects, and reads the answer to its end: a partial answer is
 * a failure of the network, and ky's time-out covers all of it, however slow it is.
 */
export async function receive(first: Request, receiving: Receiving): Promise<Response> {
  const { out, attempt } = receiving;
  const { info, url } = out;
  const key = first.headers.get("idempotency-key") ?? undefined;
  const isWatched = isUnsafe(info) && out.limits !== undefined;
  const detector = isWatched ? detectSends({ method: info.method, url, key }) : undefined;
  attempt.sent = () => detector?.sent();
  try {
    return await follow(inTime(first, receiving), receiving);
  } finally {
    detector?.stop();
  }
}

/** The request with the time that is left: ky's time-out is that of the first attempt. */
function inTime(request: Request, { attempt, options, leftMs }: Receiving): Request {
  const ms = Math.max(1, Math.ceil(leftMs()));
  if (attempt.nth === 1 || ms >= options.timeoutMs) return request;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ms)]);
  return new Request(request, { signal });
}

async function follow(first: Request, receiving: Receiving): Promise<Response> {
  const { out, options, attempt } = receiving;
  const fetch = options.fetch ?? options.network?.fetch ?? globalThis.fetch;
  let request = first;
  for (let hops = 0; ; hops += 1) {
    const log = requestLogger(request, receiving);
    try {
      const onHeaders = options.onSend?.(out.url);
      const response = await fetch(request);
      onHeaders?.(response.headers);
      attempt.response = response;
      const redirect =
        out.limits === undefined ? undefined : redirectOf(response, request, out.info, hops);
      if (redirect !== undefined && "url" in redirect) {
        // A redirected request keeps its headers, and so its credential.
        if (redirect.url.origin !== out.url.origin) throw new Error("not the same origin");
        await response.body?.cancel();
        log({ response });
        const { headers, signal } = request;
        const { url, method } = redirect;
        request = new Request(url, { method, headers, signal, redirect: "manual" });
        continue;
      }
      if (out.limits !== undefined) {
        const answer = await readAnswer(response, out.limits, out.wholeUpTo);
        attempt.answer = redirect === undefined ? answer : { ...answer, redirect };
      }
      log({ response });
      return response;
    } catch (error) {
      log({ failure: networkFailure(error).reason });
      throw error;
    }
  }
}

/** Logs an exchange with the service for `--debug`, once it is over. */
function requestLogger({ method, url }: Request, { out, options, attempt: { nth } }: Receiving) {
  const from = performance.now();
  return ({ response, failure }: { response?: Response; failure?: string }) => {
    const requestId = response && requestIdOf(response.headers);
    options.onRequest?.({
      method,
      url,
      attempt: nth,
      ms: Math.round(performance.now() - from),
      ...(response ? { status: response.status } : {}),
      ...(requestId ? { requestId } : {}),
      ...(out.info.proxy ? { proxy: out.info.proxy.host } : {}),
      ...(out.info.requestId ? { clientRequestId: out.info.requestId } : {}),
      ...(failure === undefined ? {} : { failure }),
    });
  };
}

/** The outcome of an attempt without an answer. The send detector has precedence over the error. */
export function outcomeOfError(error: unknown, sent: SendCount | undefined): AttemptOutcome {
  if (error instanceof OversizeError) return "oversize";
  if (isTimeoutError(error)) return sent === "no" ? "unsent" : "lost";
  const failure = networkFailure(error);
  if (failure.final) return "untrusted";
  const wasSent = sent === undefined || sent === "unclear" ? failure.sent : sent !== "no";
  return wasSent ? "lost" : "unsent";
}
