import { setTimeout as pause } from "node:timers/promises";
import { isTimeoutError } from "ky";
import type { HttpAnswer } from "../answer/answer.ts";
import { parseProblem } from "../answer/problem.ts";
import { networkFailure } from "../network/network-failure.ts";
import { isUnsafe, type RequestInfo } from "../request/request-info.ts";
import {
  type AttemptOutcome,
  createRateGate,
  type RateGate,
  RETRY,
  requestedDelay,
  retryDelay,
  ruleFor,
} from "../request/retry.ts";
import type { SendCount } from "../request/send-detector.ts";
import { attemptOnce, type HttpAttempt } from "./attempt.ts";
import type { ClientOptions } from "./client-options.ts";
import {
  type AttemptFacts,
  interruptedError,
  rateLimited,
  requestError,
} from "./request-failure.ts";

/** What goes out. */
export interface OutgoingRequest {
  readonly call: RequestInfo;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Read the answer to its end, up to this many bytes; absent: leave its body alone. */
  readonly limit?: number;
  /** Leave a list of more bytes open; see {@link readAnswer}. */
  readonly wholeUpTo?: number | undefined;
  /** The caller sends it again itself, should it be right. */
  readonly singleAttempt?: boolean | undefined;
  /** Ends the wait before it is sent, and nothing else. */
  readonly waitSignal?: AbortSignal;
}

/** What came of it. */
export interface ExchangeResult {
  readonly response: Response;
  /** Present where a limit was given. */
  readonly answer: HttpAnswer | undefined;
  /** An earlier attempt may have had its effect already. */
  readonly repeated: boolean;
  /** Of a create: how often the last attempt went out. */
  readonly sent: SendCount | undefined;
  /** The service asks to wait for longer than is waited. */
  readonly tooLong: boolean;
}

/**
 * Sends a request, and again where that is right. An answer of any status is returned.
 * @throws {AmpError} where none came
 * @throws {UsageError} where the proxy that it should go through is none
 */
export async function exchange(
  given: OutgoingRequest,
  options: ClientOptions,
): Promise<ExchangeResult> {
  const call = { ...given.call, proxy: options.network?.proxyFor(given.url) };
  const out = { ...given, call };
  const { signal, timeoutMs, random = Math.random } = options;
  const { retries = RETRY.perRequest, maxWaitMs = RETRY.maxWaitMs } = options;
  const pace = options.pace ?? createRateGate(random);
  const started = performance.now();
  let asked = 0;
  let repeated = false;
  // Whatever is waited for because the service wishes it comes on top.
  const left = () => Math.max(RETRY.allMs, timeoutMs) + asked - (performance.now() - started);

  for (let nth = 1; ; nth += 1) {
    const unsent = { sent: repeated ? undefined : "no" } as const;
    asked += await waitForGate(out, { ...options, pace, maxWaitMs }, unsent);
    const most = nth === 1 ? timeoutMs : Math.max(1, Math.min(timeoutMs, left()));
    const attempt = await attemptOnce(out, options, { nth, timeoutMs: most });
    const { happening, response, sent } = attempt;
    if ("error" in attempt && signal.aborted) {
      throw interruptedError(call, signal.reason, { sent, head: response });
    }
    const { askedMs, vetoed } = await retryAdvice(attempt);
    const wait = retryDelay({ retry: nth, leftMs: left(), maxWaitMs, askedMs, random: random() });
    const isAgain = isSentAgain(out, happening) && !vetoed;
    if (happening === "not-now" || (isAgain && askedMs !== undefined && wait !== undefined)) {
      pace.blockFor(out.url.origin, askedMs ?? wait ?? 0);
    }
    if (!isAgain || nth > retries || wait === undefined || !pace.takeRetry()) {
      if ("error" in attempt) {
        const known = { sent, head: response, happening, attempts: nth, timeoutMs };
        throw requestError(call, attempt.error, known);
      }
      const tooLong = isAgain && askedMs !== undefined && askedMs > maxWaitMs;
      return { response: attempt.response, answer: attempt.answer, repeated, sent, tooLong };
    }
    repeated ||= happening === "lost" || happening === "failing";
    const { method, does } = call;
    options.onRetry?.({
      method,
      does,
      waitMs: wait,
      why: retryReason(attempt, call),
      attempt: nth + 1,
    });
    // What the service asks for is waited at the gate, together with all others.
    if (askedMs === undefined) {
      await pause(wait, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Waits until the service may be asked.
 * @returns how long that took, in milliseconds
 */
async function waitForGate(
  { call, url, waitSignal }: OutgoingRequest,
  { signal, pace, maxWaitMs, now = () => new Date() }: Entering,
  unsent: AttemptFacts,
): Promise<number> {
  if (signal.aborted) throw interruptedError(call, signal.reason, unsent);
  const held = pace.heldFor(url.origin);
  if (held === 0) return 0;
  const error = () => rateLimited(call, new Date(now().getTime() + pace.heldFor(url.origin)));
  if (held > maxWaitMs) throw error();
  const from = performance.now();
  const ends = waitSignal === undefined ? signal : AbortSignal.any([signal, waitSignal]);
  await pace.waitUntilOpen(url.origin, ends).catch(() => {
    throw signal.aborted ? interruptedError(call, signal.reason, unsent) : error();
  });
  return performance.now() - from;
}

type Entering = ClientOptions & { readonly pace: RateGate; readonly maxWaitMs: number };

/** Whether the table has it sent again; an answer that nobody has read is passed on as it is. */
function isSentAgain(
  { call, limit, singleAttempt = false }: OutgoingRequest,
  happening: AttemptOutcome,
): boolean {
  const isAnswer = !["unsent", "untrusted", "lost", "oversize"].includes(happening);
  if (singleAttempt || (isAnswer && limit === undefined)) return false;
  return ruleFor(happening, isUnsafe(call) ? "create" : "safe") === "again";
}

/** What an answer asks for. */
async function retryAdvice(attempt: HttpAttempt): Promise<{ askedMs?: number; vetoed: boolean }> {
  if ("error" in attempt || attempt.answer === undefined) return { vetoed: false };
  const problem = await parseProblem(attempt.answer);
  const askedMs = requestedDelay(attempt.response.headers, problem?.retryAfter, Date.now());
  const vetoed = problem?.retryable === false;
  return askedMs === undefined ? { vetoed } : { askedMs, vetoed };
}

/** As the end of a sentence. */
function retryReason(attempt: HttpAttempt, { proxy }: RequestInfo): string {
  if (!("error" in attempt)) return `the service answered ${attempt.response.status}`;
  const way = proxy === undefined ? "" : ` (by the proxy ${proxy.host})`;
  const isLate = isTimeoutError(attempt.error);
  return `${isLate ? "no answer came" : networkFailure(attempt.error).reason}${way}`;
}
