import "../network/own-fetch.ts";

import ky, { isHTTPError, isTimeoutError, type Options } from "ky";
import { AmpError } from "../../errors.ts";
import { once } from "../../values/basics.ts";
import { isWrite } from "../../values/writes.ts";
import type { HttpAnswer } from "../answer/answer.ts";
import { parseProblem } from "../answer/problem.ts";
import { networkFailure } from "../network/network-failure.ts";
import { ignoreInterimResponses } from "../request/interim-responses.ts";
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
import type { SendCount } from "../request/send-detector.ts";
import {
  type Attempt,
  identify,
  type OutgoingRequest,
  outcomeOfError,
  receive,
} from "./attempt.ts";
import type { ClientOptions } from "./client-options.ts";
import { interruptedError, rateLimited, requestError } from "./request-failure.ts";

/** The answer to a request, and how it was obtained. */
export interface ExchangeResult {
  readonly response: Response;
  /** The answer, if limits were given. */
  readonly answer: HttpAnswer | undefined;
  /** Whether an earlier attempt may have had its effect already. */
  readonly repeated: boolean;
  /** The number of times that the last attempt of a write was sent. */
  readonly sent: SendCount | undefined;
  /** Whether the service asks for a longer wait than `maxWaitMs`. */
  readonly tooLong: boolean;
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

/**
 * Sends a request, and retries it where the rule table allows that. An answer of any status is
 * returned. ky sends, times out, waits and retries; whether and when is decided here, because all
 * requests of the process share the limits.
 * @throws {AmpError} if no answer came
 * @throws {UsageError} if the configured proxy is not valid
 */
export async function exchange(
  given: OutgoingRequest,
  options: ClientOptions,
): Promise<ExchangeResult> {
  if (isWrite(given.info.method, given.url)) await options.beforeWrite?.(given.url);
  const end = options.onWait?.({ does: given.info.does, host: given.url.host });
  try {
    return await sendUntilAnswered(given, options);
  } finally {
    end?.();
  }
}

async function sendUntilAnswered(
  given: OutgoingRequest,
  options: ClientOptions,
): Promise<ExchangeResult> {
  listenForConnections();
  const info = { ...given.info, proxy: options.network?.proxyFor(given.url) };
  const out = { ...given, info };
  const { signal, timeoutMs, random = Math.random, maxWaitMs = RETRY.maxWaitMs } = options;
  const retries = out.singleAttempt ? 0 : (options.retries ?? RETRY.perRequest);
  const gate = options.rateGate ?? createRateGate(random);
  const started = performance.now();
  let waitedMs = 0;
  let repeated = false;
  let attempt: Attempt = { nth: 1, sent: () => "no" };
  let verdict: Verdict | undefined;
  // The waits that the service asks for do not count.
  const leftMs = () => Math.max(RETRY.allMs, timeoutMs) + waitedMs - (performance.now() - started);

  const passGate = async () => {
    waitedMs += await waitForGate(out, { ...options, gate, maxWaitMs }, attempt.sent());
  };

  const resultOf = (response: Response): ExchangeResult => {
    const { allowed = false, askedMs = 0 } = verdict ?? {};
    const tooLong = allowed && askedMs > maxWaitMs;
    return { response, answer: attempt.answer, repeated, sent: attempt.sent(), tooLong };
  };

  const judge = async (outcome: AttemptOutcome): Promise<Verdict> => {
    const isAllowed = isRepeatable(out, outcome);
    if (!isAllowed && outcome !== "busy") return { outcome, allowed: false };
    const { askedMs, vetoed } = retryAdvice(attempt);
    const state = { retry: attempt.nth, leftMs: leftMs(), maxWaitMs, askedMs, random: random() };
    const delayMs = retryDelay(state);
    const allowed = isAllowed && !vetoed;
    if (outcome === "busy" || (allowed && askedMs !== undefined && delayMs !== undefined)) {
      gate.blockFor(out.url.origin, askedMs ?? delayMs ?? 0);
    }
    return { outcome, allowed, askedMs, delayMs };
  };

  const shouldRetry = async ({ error }: { readonly error: Error }) => {
    if (signal.aborted) return false;
    if (!isHTTPError(error)) verdict = await judge(outcomeOfError(error, attempt.sent()));
    const { outcome, allowed, delayMs: waitMs } = verdict ?? { outcome: "other", allowed: false };
    if (!allowed || waitMs === undefined || !gate.takeRetry()) return false;
    repeated ||= outcome === "lost" || outcome === "failing";
    const nth = attempt.nth + 1;
    const why = retryReason(error, info);
    options.onRetry?.({ does: info.does, waitMs, why, attempt: nth, attempts: retries + 1 });
    attempt = { nth, sent: () => (repeated ? undefined : "no") };
    return true;
  };

  const send: NonNullable<Options["fetch"]> = async (input) => {
    verdict = undefined;
    const response = await receive(input as Request, { out, options, attempt, leftMs });
    verdict = await judge(outcomeOfStatus(response.status));
    return response;
  };

  await passGate();
  try {
    const response = await ky(out.url, {
      method: info.method,
      headers: out.headers,
      ...(out.body === undefined ? {} : { body: out.body }),
      // A redirect followed by fetch would carry X-Api-Key to any origin: see `receive`.
      redirect: "manual",
      signal,
      timeout: timeoutMs,
      // No `afterResponse`: ky copies the body for it, and a long list would fill the memory.
      hooks: { beforeRequest: [identify(options, info)], beforeRetry: [passGate] },
      retry: {
        limit: retries,
        methods: [info.method.toLowerCase()] as never,
        shouldRetry,
        // The gate serves the wait that the service asks for, together with all requests.
        delay: () => (verdict?.askedMs === undefined ? (verdict?.delayMs ?? 0) : 0),
      },
      // Only an answer that is read and may be retried throws; any other is passed on unchanged.
      throwHttpErrors: () => verdict?.allowed === true,
      fetch: send,
    });
    return resultOf(response);
  } catch (error) {
    if (isHTTPError(error)) return resultOf(error.response);
    if (error instanceof AmpError) throw error;
    const { nth, response: head } = attempt;
    const sent = attempt.sent();
    if (signal.aborted) throw interruptedError(info, signal.reason, { sent, head });
    const { outcome } = verdict ?? (await judge(outcomeOfError(error, sent)));
    throw requestError(info, error, { sent, head, outcome, attempts: nth, timeoutMs });
  }
}

const listenForConnections = once(ignoreInterimResponses);

/**
 * Waits until the gate lets the request through.
 * @returns the duration in milliseconds
 */
async function waitForGate(
  { info, url, waitSignal }: OutgoingRequest,
  { signal, gate, maxWaitMs, now = () => new Date() }: GateOptions,
  sent: SendCount | undefined,
): Promise<number> {
  if (signal.aborted) throw interruptedError(info, signal.reason, { sent });
  const blockedMs = gate.blockedFor(url.origin);
  if (blockedMs === 0) return 0;
  const error = () => rateLimited(info, new Date(now().getTime() + gate.blockedFor(url.origin)));
  if (blockedMs > maxWaitMs) throw error();
  const from = performance.now();
  const ends = waitSignal === undefined ? signal : AbortSignal.any([signal, waitSignal]);
  await gate.waitUntilOpen(url.origin, ends).catch(() => {
    throw signal.aborted ? interruptedError(info, signal.reason, { sent }) : error();
  });
  return performance.now() - from;
}

type GateOptions = ClientOptions & { readonly gate: RateGate; readonly maxWaitMs: number };

/**
 * Whether the rule table retries the request; an answer that was not read is passed on unchanged.
 */
function isRepeatable({ info, limits }: OutgoingRequest, outcome: AttemptOutcome): boolean {
  const isAnswer = !["unsent", "untrusted", "lost", "oversize"].includes(outcome);
  if (isAnswer && limits === undefined) return false;
  return ruleFor(outcome, isUnsafe(info) ? "unsafe" : "safe") === "again";
}

/** The service's own advice on retrying the request. */
function retryAdvice({ answer }: Attempt): { askedMs?: number; vetoed: boolean } {
  if (answer === undefined) return { vetoed: false };
  const problem = parseProblem(answer);
  const askedMs = requestedDelay(answer.headers, problem?.retryAfter, Date.now());
  const vetoed = problem?.retryable === false;
  return askedMs === undefined ? { vetoed } : { askedMs, vetoed };
}

function retryReason(error: unknown, { proxy }: RequestInfo): string {
  if (isHTTPError(error)) return `the service answered ${error.response.status}`;
  const way = proxy === undefined ? "" : ` (via proxy ${proxy.host})`;
  const reason = isTimeoutError(error) ? "the request timed out" : networkFailure(error).reason;
  return `${reason}${way}`;
}
