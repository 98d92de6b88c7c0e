import ky, { isHTTPError, isTimeoutError } from "ky";
import { type Answer, OversizeError, readAnswer, requestIdOf } from "./answer.ts";
import type { Call } from "./call.ts";
import type { ClientOptions } from "./client-options.ts";
import { networkFailure } from "./network-failure.ts";
import { brokenOff, failed, timedOut } from "./no-answer.ts";
import { problemOf } from "./problem.ts";
import { askedWait, type Failure, RETRY, retriesOf, waitBefore } from "./retry.ts";
import { type Sent, watchSent } from "./sent-watch.ts";

/** What goes out. */
export interface Outgoing {
  readonly call: Call;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Read the answer to its end, up to this many bytes; absent: leave its body alone. */
  readonly limit?: number;
}

/** What came of it. */
export interface Exchanged {
  readonly response: Response;
  /** Present where a limit was given. */
  readonly answer: Answer | undefined;
  /** An earlier attempt may have had its effect already. */
  readonly repeated: boolean;
  /** Of a create: how often it went out. */
  readonly sent: Sent | undefined;
}

/**
 * Sends a request, and again where that is right. An answer of any status is returned.
 * @throws {AmpError} where none came
 */
export async function exchange(out: Outgoing, options: ClientOptions): Promise<Exchanged> {
  const { call, url, headers, body, limit } = out;
  if (options.signal.aborted) throw brokenOff(call, options.signal.reason, { sent: "no" });
  const total = options.timeoutMs + RETRY.allMs;
  const started = performance.now();
  let attempts = 0;
  let wait = 0;
  let repeated = false;
  let response: Response | undefined;
  let answer: Answer | undefined;

  // ky times, repeats and aborts; what an attempt is, is said here: reading the body belongs to
  // it, so that half an answer counts as a network failure and the time-out covers all of it.
  const attempt = async (request: Request, init?: RequestInit): Promise<Response> => {
    attempts += 1;
    response = undefined;
    answer = undefined;
    if (new URL(request.url).origin !== url.origin)
      throw new Error("the request changed its origin");
    const from = performance.now();
    const told = { method: request.method, url: request.url, attempt: attempts };
    const passed = () => Math.round(performance.now() - from);
    try {
      const fetch = options.fetch ?? globalThis.fetch;
      response = await fetch(request, init);
      if (limit !== undefined) answer = await readAnswer(response, limit);
    } catch (error) {
      options.onRequest?.({ ...told, ms: passed(), failure: networkFailure(error).reason });
      throw error;
    }
    const requestId = requestIdOf(response.headers);
    options.onRequest?.({
      ...told,
      ms: passed(),
      status: response.status,
      ...(requestId ? { requestId } : {}),
    });
    return response;
  };

  const shouldRetry = async ({ error, retryCount }: { error: Error; retryCount: number }) => {
    if (options.signal.aborted) return false;
    const failure = await failureOf(error, answer);
    const left = total - (performance.now() - started);
    const next = waitBefore(failure, retryCount, left, (options.random ?? Math.random)());
    if (next === undefined) return false;
    wait = next;
    repeated ||= mayHaveWorked(failure);
    options.onRetry?.({ method: call.method, waitMs: next, attempt: retryCount + 1 });
    return true;
  };

  const key = headers.get("idempotency-key") ?? undefined;
  const watch = call.creates ? watchSent({ method: call.method, url, key }) : undefined;
  try {
    response = await ky(url, {
      method: call.method,
      headers,
      ...(body === undefined ? {} : { body }),
      // A redirect would take X-Api-Key along to wherever it leads.
      redirect: "manual",
      signal: options.signal,
      timeout: options.timeoutMs,
      totalTimeout: total,
      throwHttpErrors: limit !== undefined,
      fetch: (input, init) => attempt(input as Request, init),
      retry: {
        limit: retriesOf(call.method),
        methods: [...RETRY.methods],
        shouldRetry,
        // The wait is decided together with the retry; ky knows nothing of the problem's own time.
        delay: () => wait,
      },
    });
  } catch (error) {
    const known = { sent: watch?.sent(), head: response };
    if (options.signal.aborted) throw brokenOff(call, options.signal.reason, known);
    if (isTimeoutError(error)) throw timedOut(call, options.timeoutMs, known);
    if (!isHTTPError(error) || !answer) throw failed(call, error, known);
    response = error.response;
  } finally {
    watch?.stop();
  }
  return { response, answer, repeated, sent: watch?.sent() };
}

async function failureOf(error: Error, answer: Answer | undefined): Promise<Failure> {
  if (isTimeoutError(error) || error instanceof OversizeError) return { kind: "other" };
  if (!isHTTPError(error)) return { kind: "network", ...networkFailure(error) };
  const problem = answer && (await problemOf(answer));
  return {
    kind: "status",
    status: error.response.status,
    retryable: problem?.retryable,
    waitMs: askedWait(error.response.headers, problem?.retryAfter, Date.now()),
  };
}

/** Whether a repeated request may find its work done already. */
function mayHaveWorked(failure: Failure): boolean {
  return failure.kind === "network"
    ? failure.sent
    : failure.kind === "status" && failure.status !== 429 && failure.status !== 425;
}
