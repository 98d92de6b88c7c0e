import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { bodyLimits, excerptOf, type HttpAnswer } from "../../../api/answer/answer.ts";
import type { Policy } from "../../../api/client/policy.ts";
import type { Reporter } from "../../../context/command-context.ts";
import {
  AmpError,
  AuthError,
  InterruptedError,
  RejectedError,
  ServiceError,
  TerminatedError,
  UsageError,
} from "../../../errors.ts";
import { DEADLINE, graceAfter } from "../../../runtime/end-process.ts";
import { version } from "../../../runtime/version.ts";
import { redactFacts } from "../../../secrets/secret.ts";
import { defined } from "../../../values/json.ts";

/** The options for requests to a state server. */
export interface StateServerOptions {
  readonly fetch?: Policy["fetch"];
  /** The network of the requests, opened with the first one. Absent: the global `fetch`. */
  readonly network?: () => Promise<Policy["network"]>;
  /** The base of the wait before a retry, in milliseconds; doubled with each one. */
  readonly backoffMs?: number;
  /** The longest wait between two attempts to take a lock, in milliseconds. */
  readonly pollMs?: number;
  /** Shows the wait for an answer. */
  readonly onWait?: Reporter["waiting"];
  /** Called when a lock could not be released. */
  readonly warn?: Reporter["warn"];
  /** The longest wait for an answer, in milliseconds, and the retries of what changes no state. */
  readonly timeoutMs?: number;
  readonly retries?: number;
  /**
   * Ends requests that change nothing, and lock requests, at once. A save, and the release of a
   * lock, still have `stoppedMs`, or their time-out where `--deadline` is over.
   */
  readonly signal?: AbortSignal;
  readonly stoppedMs?: number;
  /** Ends what `signal` leaves within a second. */
  readonly urgentSignal?: AbortSignal;
}

/** A request to a state server. */
export interface StateRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The action for messages, with the location: `save https://…`. */
  readonly action: string;
  /** Whether the signal ends it at once: nothing that was done depends on it. */
  readonly interruptible?: boolean;
}

/** An answer of a state server. */
export interface StateResponse extends HttpAnswer {
  /** Whether the request was sent more than once: an earlier one may have been applied already. */
  readonly repeated: boolean;
}

const NEVER_ABORTED = new AbortController().signal;
const TIMEOUT_MS = 30_000;
/** The time that a save, or the release of a lock, has after a signal, in milliseconds. */
const STOPPED_MS = 5_000;
const URGENT_MS = 1_000;
/** The limit of an answer: a state of a hundred thousand routes has about 30 MB. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Sends a request to a state server. GET and DELETE are retried like requests to the service; the
 * others are not, see {@link retryUntilKnown}.
 * @throws {ServiceError} if no answer came
 * @throws {InterruptedError} if the signal ended it
 */
export async function sendStateRequest(
  request: StateRequest,
  options: StateServerOptions,
): Promise<StateResponse> {
  // Imported with the first request: ky is slow to load, and a local state does not need it.
  const { send } = await import("../../../api/client/send.ts");
  const { method, url, headers = {}, body, action } = request;
  const { timeoutMs = TIMEOUT_MS, fetch, onWait, retries } = options;
  const bound = boundOf(request, { ...options, timeoutMs });
  try {
    const { answer, repeated } = await send(
      { method, url, path: url.pathname, does: action, headers, body },
      {
        baseUrl: url.origin,
        userAgent: `amp/${version}`,
        limits: bodyLimits("GET", url.pathname, MAX_ANSWER_BYTES),
        timeoutMs,
        retries: ["GET", "DELETE"].includes(method) ? retries : 0,
        signal: bound.signal,
        network: await options.network?.(),
        ...defined({ fetch, onWait }),
      },
    );
    return { ...answer, repeated };
  } catch (error) {
    throw bound.signal.aborted ? stoppedError(request, error) : noAnswerError(action, error);
  } finally {
    bound.end();
  }
}

/** The signal that ends a request early; `end` stops its timer. */
function boundOf(
  { interruptible = false }: StateRequest,
  {
    signal = NEVER_ABORTED,
    urgentSignal = NEVER_ABORTED,
    stoppedMs = STOPPED_MS,
    timeoutMs,
  }: StateServerOptions & { readonly timeoutMs: number },
) {
  if (interruptible) return { signal, end: () => {} };
  // The deadline of a command never cuts the save of what it did.
  const left = () => (signal.reason === DEADLINE ? timeoutMs : Math.min(stoppedMs, timeoutMs));
  const waiting = (ms: () => number) => (until: AbortSignal) =>
    pause(ms(), undefined, { signal: until });
  const stopped = graceAfter(signal, waiting(left));
  const urged = graceAfter(
    urgentSignal,
    waiting(() => Math.min(URGENT_MS, stoppedMs)),
  );
  return {
    signal: AbortSignal.any([stopped.signal, urged.signal]),
    end: () => {
      stopped.end();
      urged.end();
    },
  };
}

/** The error for a request that a signal ended: the interrupt of a run, not a failure. */
function stoppedError({ action, interruptible }: StateRequest, error: unknown): unknown {
  const facts = interruptible
    ? { done: "Nothing was sent to the service." }
    : { detail: "The server did not answer in time after the command was stopped." };
  const kind = [InterruptedError, TerminatedError].find((each) => error instanceof each);
  if (kind === undefined) return error;
  const message = interruptible ? (error as AmpError).message : `Could not ${action}`;
  return new kind(message, facts, { cause: error });
}

/** Whether a request was done. */
export function isSuccess({ status }: StateResponse): boolean {
  return status >= 200 && status < 300;
}

/**
 * The error for an answer with an unexpected status. The server may echo secrets that it was sent;
 * they are redacted.
 */
export function refusedError(
  answer: HttpAnswer,
  action: string,
  detail: string | undefined = excerptOf(answer),
): AmpError {
  const { status } = answer;
  const facts = { status, ...defined({ detail }) };
  const kind = [401, 403].includes(status)
    ? AuthError
    : status >= 400 && status < 500 && !TRANSIENT_STATUSES.has(status)
      ? RejectedError
      : ServiceError;
  const again = { retryable: true, remedy: "Run the command again later." };
  return new kind(`Could not ${action}: the server answered ${status}`, {
    ...(kind === ServiceError ? again : {}),
    ...redactFacts(facts),
  });
}

/** The error for a missing answer: the client's own message speaks of the service. */
function noAnswerError(action: string, error: unknown): unknown {
  // A usage error is a wrong proxy or certificate setting.
  const kept = [InterruptedError, TerminatedError, UsageError];
  if (!(error instanceof AmpError) || kept.some((kind) => error instanceof kind)) return error;
  const { facts, message: detail } = error;
  const { retryable = true, remedy } = facts;
  const why = { detail, retryable, ...defined({ remedy }) };
  return new ServiceError(`Could not ${action}`, why, { cause: error });
}

/** The meaning of an answer: a result, or an error that a retry may or may not cure. */
export type AnswerVerdict<Result> =
  | { readonly done: Result }
  | { readonly error: AmpError; readonly retry: boolean };

/** A request that has the same effect however often it is sent. */
export interface RepeatableRequest<Result> {
  send(): Promise<StateResponse>;
  judge(answer: StateResponse): AnswerVerdict<Result> | Promise<AnswerVerdict<Result>>;
  /** Finds out whether a request without an answer was applied; undefined, or an error: no. */
  findResult?(): Promise<Result | undefined>;
}

/**
 * The verdict about a request that was not done.
 * @param also a further status that a retry may cure
 */
export function failed(error: AmpError, { status }: StateResponse, also?: number) {
  return { error, retry: TRANSIENT_STATUSES.has(status) || status === also };
}

const MAX_ATTEMPTS = 3;
const BACKOFF_MS = 250;

/**
 * Sends a request until its outcome is known. After a lost answer it looks for the result first,
 * since a server may refuse the second of two equal requests: this is why the retries of ky do not
 * serve here.
 * @throws {AmpError} the last error
 */
export async function retryUntilKnown<Result>(
  { backoffMs = BACKOFF_MS }: StateServerOptions,
  { send, judge, findResult }: RepeatableRequest<Result>,
  attempts = MAX_ATTEMPTS,
): Promise<Result> {
  let maybeApplied = false;
  for (let attempt = 1; ; attempt += 1) {
    const verdict = await send().then(judge, verdictOfFailure);
    if ("done" in verdict) return verdict.done;
    maybeApplied ||= verdict.retry;
    const found = maybeApplied ? await findResult?.().catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    if (!verdict.retry || attempt >= attempts) throw verdict.error;
    await pause(Math.random() * backoffMs * 2 ** attempt);
  }
}

function verdictOfFailure(error: unknown): AnswerVerdict<never> {
  if (!(error instanceof ServiceError)) throw error;
  return { error, retry: error.facts.retryable !== false };
}

/** The digest of a saved text, by which a run knows its own among those of others. */
export function textDigest(text: string | undefined): string {
  return text === undefined ? "" : createHash("sha256").update(text).digest("base64");
}
