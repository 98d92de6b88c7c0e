import { setTimeout as pause } from "node:timers/promises";
import { isTimeoutError } from "ky";
import type { Answer } from "./answer.ts";
import { type Attempt, attemptOnce } from "./attempt.ts";
import { type Call, isUnsafe } from "./call.ts";
import type { ClientOptions } from "./client-options.ts";
import { networkFailure } from "./network-failure.ts";
import { brokenOff, failed, heldBack, type Known } from "./no-answer.ts";
import { createPace, type Pace } from "./pace.ts";
import { problemOf } from "./problem.ts";
import { askedWait, type Happening, RETRY, ruleFor, waitBefore } from "./retry.ts";
import type { Sent } from "./sent-watch.ts";

/** What goes out. */
export interface Outgoing {
  readonly call: Call;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Read the answer to its end, up to this many bytes; absent: leave its body alone. */
  readonly limit?: number;
  /** Leave a list of more bytes open; see {@link readAnswer}. */
  readonly wholeUpTo?: number | undefined;
  /** The caller sends it again itself, should it be right. */
  readonly once?: boolean | undefined;
  /** Ends the wait before it is sent, and nothing else. */
  readonly haste?: AbortSignal;
}

/** What came of it. */
export interface Exchanged {
  readonly response: Response;
  /** Present where a limit was given. */
  readonly answer: Answer | undefined;
  /** An earlier attempt may have had its effect already. */
  readonly repeated: boolean;
  /** Of a create: how often the last attempt went out. */
  readonly sent: Sent | undefined;
  /** The service asks to wait for longer than is waited. */
  readonly tooLong: boolean;
}

/**
 * Sends a request, and again where that is right. An answer of any status is returned.
 * @throws {AmpError} where none came
 * @throws {UsageError} where the proxy that it should go through is none
 */
export async function exchange(given: Outgoing, options: ClientOptions): Promise<Exchanged> {
  const call = { ...given.call, proxy: options.network?.proxyFor(given.url) };
  const out = { ...given, call };
  const { signal, timeoutMs, random = Math.random } = options;
  const { retries = RETRY.perRequest, maxWaitMs = RETRY.maxWaitMs } = options;
  const pace = options.pace ?? createPace(random);
  const started = performance.now();
  let asked = 0;
  let repeated = false;
  // Whatever is waited for because the service wishes it comes on top.
  const left = () => Math.max(RETRY.allMs, timeoutMs) + asked - (performance.now() - started);

  for (let nth = 1; ; nth += 1) {
    const unsent = { sent: repeated ? undefined : "no" } as const;
    asked += await enter(out, { ...options, pace, maxWaitMs }, unsent);
    const most = nth === 1 ? timeoutMs : Math.max(1, Math.min(timeoutMs, left()));
    const attempt = await attemptOnce(out, options, { nth, timeoutMs: most });
    const { happening, response, sent } = attempt;
    if ("error" in attempt && signal.aborted) {
      throw brokenOff(call, signal.reason, { sent, head: response });
    }
    const { askedMs, vetoed } = await wishOf(attempt);
    const wait = waitBefore({ retry: nth, leftMs: left(), maxWaitMs, askedMs, random: random() });
    const isAgain = isSentAgain(out, happening) && !vetoed;
    if (happening === "not-now" || (isAgain && askedMs !== undefined && wait !== undefined)) {
      pace.hold(out.url.origin, askedMs ?? wait ?? 0);
    }
    if (!isAgain || nth > retries || wait === undefined || !pace.takeRetry()) {
      if ("error" in attempt) {
        const known = { sent, head: response, happening, attempts: nth, timeoutMs };
        throw failed(call, attempt.error, known);
      }
      const tooLong = isAgain && askedMs !== undefined && askedMs > maxWaitMs;
      return { response: attempt.response, answer: attempt.answer, repeated, sent, tooLong };
    }
    repeated ||= happening === "lost" || happening === "failing";
    const { method, does } = call;
    options.onRetry?.({ method, does, waitMs: wait, why: whyOf(attempt, call), attempt: nth + 1 });
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
async function enter(
  { call, url, haste }: Outgoing,
  { signal, pace, maxWaitMs, now = () => new Date() }: Entering,
  unsent: Known,
): Promise<number> {
  if (signal.aborted) throw brokenOff(call, signal.reason, unsent);
  const held = pace.heldFor(url.origin);
  if (held === 0) return 0;
  const error = () => heldBack(call, new Date(now().getTime() + pace.heldFor(url.origin)));
  if (held > maxWaitMs) throw error();
  const from = performance.now();
  const ends = haste === undefined ? signal : AbortSignal.any([signal, haste]);
  await pace.enter(url.origin, ends).catch(() => {
    throw signal.aborted ? brokenOff(call, signal.reason, unsent) : error();
  });
  return performance.now() - from;
}

type Entering = ClientOptions & { readonly pace: Pace; readonly maxWaitMs: number };

/** Whether the table has it sent again; an answer that nobody has read is passed on as it is. */
function isSentAgain({ call, limit, once = false }: Outgoing, happening: Happening): boolean {
  const isAnswer = !["unsent", "untrusted", "lost", "oversize"].includes(happening);
  if (once || (isAnswer && limit === undefined)) return false;
  return ruleFor(happening, isUnsafe(call) ? "create" : "safe") === "again";
}

/** What an answer asks for. */
async function wishOf(attempt: Attempt): Promise<{ askedMs?: number; vetoed: boolean }> {
  if ("error" in attempt || attempt.answer === undefined) return { vetoed: false };
  const problem = await problemOf(attempt.answer);
  const askedMs = askedWait(attempt.response.headers, problem?.retryAfter, Date.now());
  const vetoed = problem?.retryable === false;
  return askedMs === undefined ? { vetoed } : { askedMs, vetoed };
}

/** As the end of a sentence. */
function whyOf(attempt: Attempt, { proxy }: Call): string {
  if (!("error" in attempt)) return `the service answered ${attempt.response.status}`;
  const way = proxy === undefined ? "" : ` (by the proxy ${proxy.host})`;
  const isLate = isTimeoutError(attempt.error);
  return `${isLate ? "no answer came" : networkFailure(attempt.error).reason}${way}`;
}
