import { apiErrors } from "../errors.ts";
import "../network/own-fetch.ts";

import ky, { type BeforeRequestHook, isHTTPError, isTimeoutError } from "ky";
import { AmpError } from "../../errors.ts";
import { once } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { isWrite } from "../../values/writes.ts";
import { type HttpAnswer, OversizeError, readAnswer, requestIdOf } from "../answer/answer.ts";
import { parseProblem } from "../answer/problem.ts";
import { networkFailure } from "../network/network-failure.ts";
import { redirectOf } from "../request/redirect.ts";
import { isUnsafe, type RequestInfo } from "../request/request-info.ts";
import {
  type AttemptOutcome,
  createRateGate,
  outcomeOfStatus,
  type RateGate,
  RETRY,
  requestedDelay,
  retryDelay,
  ruleFor,
} from "../request/retry.ts";
import { detectSends, ignoreInterimResponses, type SendCount } from "../request/undici-channels.ts";
import type { Policy } from "./policy.ts";
import { interruptedError, rateLimited, requestError } from "./request-failure.ts";

interface OutgoingRequest extends RequestInfo {
  /** All headers but those that {@link identify} attaches. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/** The answer to a request, and how it was obtained. */
export interface Sent {
  readonly response: Response;
  /** The answer, read to its end; unread if the policy has no limits. */
  readonly answer: HttpAnswer;
  /** Whether an earlier attempt may have had its effect already. */
  readonly repeated: boolean;
  /** The number of times that the last attempt of a write was sent. */
  readonly sent: SendCount | undefined;
  /** Whether the service asks for a longer wait than `maxWaitMs`. */
  readonly tooLong: boolean;
}

/**
 * Sends a request, and retries it where the rule table allows that. An answer of any status is
 * returned. ky sends, times out, waits and retries; whether and when is decided here, because all
 * requests of the process share the limits.
 * @throws {AmpError} if no answer came
 * @throws {UsageError} if the configured proxy is not valid
 */
export async function send(request: OutgoingRequest, policy: Policy): Promise<Sent> {
  listenForConnections();
  const { method, url, does } = request;
  if (isWrite(method, url)) await policy.beforeWrite?.(url);
  const end = policy.onWait?.({ does, host: url.host });
  try {
    return await new Exchange(request, policy).run();
  } finally {
    end?.();
  }
}

const listenForConnections = once(ignoreInterimResponses);

/** One attempt at a request, as far as it has come. */
interface Attempt {
  /** The number of the attempt, from 1. */
  readonly nth: number;
  /** The number of times that a write was sent so far; `undefined` if unknown. */
  sent: () => SendCount | undefined;
  /** The head of the answer, even if the rest fails. */
  head?: Response;
  /** The answer, read to its end. */
  answer?: HttpAnswer;
}

/** The decision about one attempt. */
interface Verdict {
  readonly outcome: AttemptOutcome;
  /** Whether the rule table and the problem document allow another attempt. */
  readonly allowed: boolean;
  /** The wait that the service asks for. */
  readonly askedMs?: number | undefined;
  /** The wait before the next attempt; absent for no further attempt. */
  readonly delayMs?: number | undefined;
}

class Exchange {
  readonly #request: OutgoingRequest;
  readonly #policy: Policy;
  readonly #retries: number;
  readonly #maxWaitMs: number;
  readonly #gate: RateGate;
  readonly #started = performance.now();
  /** The time that passed in waits that the service asked for: it does not count. */
  #waitedMs = 0;
  #attempt: Attempt = { nth: 1, sent: () => "no" };
  #verdict: Verdict | undefined;
  #repeated = false;

  constructor(request: OutgoingRequest, policy: Policy) {
    this.#request = { ...request, proxy: policy.network?.proxyFor(request.url) };
    this.#policy = policy;
    this.#retries = policy.retries ?? RETRY.perRequest;
    this.#maxWaitMs = policy.maxWaitMs ?? RETRY.maxWaitMs;
    this.#gate = policy.rateGate ?? createRateGate(policy.random);
  }

  async run(): Promise<Sent> {
    const { method, url, headers, body } = this.#request;
    const { signal, timeoutMs } = this.#policy;
    const passGate = () => this.#passGate();
    await passGate();
    try {
      const response = await ky(url, {
        method,
        headers,
        ...defined({ body }),
        // A redirect followed by fetch would carry X-Api-Key to any origin: see `#follow`.
        redirect: "manual",
        signal,
        timeout: timeoutMs,
        // No `afterResponse`: ky copies the body for it, and a long list would fill the memory.
        hooks: {
          beforeRequest: [identify(this.#policy, this.#request)],
          beforeRetry: [passGate],
        },
        retry: {
          limit: this.#retries,
          methods: [method.toLowerCase()] as never,
          shouldRetry: ({ error }) => this.#shouldRetry(error),
          // The gate serves the wait that the service asks for, together with all requests.
          delay: () => (this.#verdict?.askedMs === undefined ? (this.#verdict?.delayMs ?? 0) : 0),
        },
        // Only an answer that is read and may be retried throws; any other is passed on unchanged.
        throwHttpErrors: () => this.#verdict?.allowed === true,
        fetch: async (input) => {
          this.#verdict = undefined;
          const response = await this.#receive(input as Request);
          this.#verdict = this.#judge(outcomeOfStatus(response.status));
          return response;
        },
      });
      return this.#result(response);
    } catch (error) {
      if (isHTTPError(error)) return this.#result(error.response);
      if (error instanceof AmpError) throw error;
      const { nth, head } = this.#attempt;
      const sent = this.#attempt.sent();
      if (signal.aborted) throw interruptedError(this.#request, signal.reason, { sent, head });
      const outcome = outcomeOfError(error, sent);
      throw requestError(this.#request, error, { head, outcome, attempts: nth, timeoutMs });
    }
  }

  #result(response: Response): Sent {
    const { status, headers } = response;
    const { allowed = false, askedMs = 0 } = this.#verdict ?? {};
    return {
      response,
      answer: this.#attempt.answer ?? { status, headers, text: "" },
      repeated: this.#repeated,
      sent: this.#attempt.sent(),
      tooLong: allowed && askedMs > this.#maxWaitMs,
    };
  }

  /** Waits until the gate lets the request through. */
  async #passGate(): Promise<void> {
    const { signal, waitSignal, now = () => new Date() } = this.#policy;
    const { origin } = this.#request.url;
    const interrupted = () =>
      interruptedError(this.#request, signal.reason, { sent: this.#attempt.sent() });
    if (signal.aborted) throw interrupted();
    const blockedMs = () => this.#gate.blockedFor(origin);
    const limited = () => rateLimited(this.#request, new Date(now().getTime() + blockedMs()));
    if (blockedMs() === 0) return;
    if (blockedMs() > this.#maxWaitMs) throw limited();
    const from = performance.now();
    const ends = waitSignal === undefined ? signal : AbortSignal.any([signal, waitSignal]);
    await this.#gate.waitUntilOpen(origin, ends).catch(() => {
      throw signal.aborted ? interrupted() : limited();
    });
    this.#waitedMs += performance.now() - from;
  }

  /** The time left for all attempts. */
  #leftMs(): number {
    const all = Math.max(RETRY.allMs, this.#policy.timeoutMs);
    return all + this.#waitedMs - (performance.now() - this.#started);
  }

  #judge(outcome: AttemptOutcome): Verdict {
    const isAllowed = this.#isRepeatable(outcome);
    if (!isAllowed && outcome !== "busy") return { outcome, allowed: false };
    const { answer, nth: retry } = this.#attempt;
    const problem = answer && parseProblem(answer);
    const askedMs = answer && requestedDelay(answer.headers, problem?.retryAfter, Date.now());
    const { random = Math.random } = this.#policy;
    const limits = { leftMs: this.#leftMs(), maxWaitMs: this.#maxWaitMs };
    const delayMs = retryDelay({ retry, askedMs, random: random(), ...limits });
    const allowed = isAllowed && problem?.retryable !== false;
    if (outcome === "busy" || (allowed && askedMs !== undefined && delayMs !== undefined)) {
      this.#gate.blockFor(this.#request.url.origin, askedMs ?? delayMs ?? 0);
    }
    return { outcome, allowed, askedMs, delayMs };
  }

  /** Whether the rule table retries the request; an answer that was not read is passed on. */
  #isRepeatable(outcome: AttemptOutcome): boolean {
    const isAnswer = !["unsent", "untrusted", "lost", "oversize"].includes(outcome);
    if (isAnswer && this.#policy.limits === undefined) return false;
    return ruleFor(outcome, isUnsafe(this.#request) ? "unsafe" : "safe") === "again";
  }

  #shouldRetry(error: Error): boolean {
    const { signal, onRetry } = this.#policy;
    if (signal.aborted) return false;
    if (!isHTTPError(error)) {
      this.#verdict = this.#judge(outcomeOfError(error, this.#attempt.sent()));
    }
    const { outcome = "other", allowed = false, delayMs: waitMs } = this.#verdict ?? {};
    if (!allowed || waitMs === undefined || !this.#gate.takeRetry()) return false;
    this.#repeated ||= outcome === "lost" || outcome === "failing";
    const nth = this.#attempt.nth + 1;
    this.#attempt = { nth, sent: () => (this.#repeated ? undefined : "no") };
    const why = retryReason(error, this.#request);
    const attempts = this.#retries + 1;
    onRetry?.({ does: this.#request.does, waitMs, why, attempt: nth, attempts });
    return true;
  }

  /**
   * Sends the request once, and reads the answer to its end: a partial answer is a failure of the
   * network, and ky's time-out covers all of it, however slow it is.
   */
  async #receive(first: Request): Promise<Response> {
    const { method, url } = this.#request;
    const key = first.headers.get("idempotency-key") ?? undefined;
    const isWatched = isUnsafe(this.#request) && this.#policy.limits !== undefined;
    const detector = isWatched ? detectSends({ method, url, key }) : undefined;
    this.#attempt.sent = () => detector?.sent();
    try {
      return await this.#follow(this.#inTime(first));
    } finally {
      detector?.stop();
    }
  }

  /** The request with the time that is left: ky's time-out is that of the first attempt. */
  #inTime(request: Request): Request {
    const ms = Math.max(1, Math.ceil(this.#leftMs()));
    if (this.#attempt.nth === 1 || ms >= this.#policy.timeoutMs) return request;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ms)]);
    return new Request(request, { signal });
  }

  async #follow(first: Request): Promise<Response> {
    const { url: own } = this.#request;
    const { limits, wholeUpTo, network, fetch = network?.fetch, onSend } = this.#policy;
    let request = first;
    for (let hops = 0; ; hops += 1) {
      const log = this.#logger(request);
      try {
        const onHeaders = onSend?.(own);
        const response = await (fetch ?? globalThis.fetch)(request);
        onHeaders?.(response.headers);
        this.#attempt.head = response;
        const redirect = limits && redirectOf(response, request, this.#request, hops);
        if (redirect !== undefined && "url" in redirect) {
          // A redirected request keeps its headers, and so its credential.
          if (redirect.url.origin !== own.origin) throw new Error("not the same origin");
          await response.body?.cancel();
          log({ response });
          const { headers, signal } = request;
          const { url, method } = redirect;
          request = new Request(url, { method, headers, signal, redirect: "manual" });
          continue;
        }
        if (limits) {
          const answer = await readAnswer(response, limits, wholeUpTo);
          this.#attempt.answer = redirect === undefined ? answer : { ...answer, redirect };
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
  #logger({ method, url }: Request) {
    const { proxy, requestId: clientRequestId } = this.#request;
    const { nth: attempt } = this.#attempt;
    const from = performance.now();
    return ({ response, failure }: { response?: Response; failure?: string }) => {
      this.#policy.onRequest?.({
        method,
        url,
        attempt,
        ms: Math.round(performance.now() - from),
        ...defined({
          status: response?.status,
          requestId: response && requestIdOf(response.headers),
          proxy: proxy?.host,
          clientRequestId,
          failure,
        }),
      });
    };
  }
}

/**
 * Attaches the credential and the headers that identify the request. No other code does; the
 * credential and the trace go only to the origin of the base URL.
 */
function identify(
  { baseUrl, credential, trace, userAgent }: Policy,
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
    if (!/^[\x21-\x7e\x80-\xff]+$/u.test(credential.secret))
      throw apiErrors.credential_unsendable();
    if (credential.kind === "api-key") headers.set("x-api-key", credential.secret);
    else headers.set("authorization", `Bearer ${credential.secret}`);
  };
}

/** The outcome of an attempt without an answer. The send detector has precedence over the error. */
function outcomeOfError(error: unknown, sent: SendCount | undefined): AttemptOutcome {
  if (error instanceof OversizeError) return "oversize";
  if (isTimeoutError(error)) return sent === "no" ? "unsent" : "lost";
  const failure = networkFailure(error);
  if (failure.final) return "untrusted";
  const wasSent = sent === undefined || sent === "unclear" ? failure.sent : sent !== "no";
  return wasSent ? "lost" : "unsent";
}

function retryReason(error: Error, { proxy }: RequestInfo): string {
  if (isHTTPError(error)) return `the service answered ${error.response.status}`;
  const reason = isTimeoutError(error) ? "the request timed out" : networkFailure(error).reason;
  return proxy === undefined ? reason : `${reason} (via proxy ${proxy.host})`;
}
