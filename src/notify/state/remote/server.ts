import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { bodyLimits, excerptOf, type HttpAnswer } from "../../../api/answer/answer.ts";
import type { Policy } from "../../../api/client/policy.ts";
import type { Reporter } from "../../../context/command-context.ts";
import { describeOwner, thisOwner } from "../../../durable/owner.ts";
import {
  AmpError,
  AuthError,
  ConflictError,
  InterruptedError,
  isInterrupt,
  ServiceError,
  signalError,
  UnknownOutcomeError,
  UsageError,
} from "../../../errors.ts";
import { DEADLINE, graceAfter } from "../../../runtime/end-process.ts";
import { isLoopback } from "../../../runtime/loopback.ts";
import { version } from "../../../runtime/version.ts";
import { redactFacts } from "../../../secrets/secret.ts";
import { defined, jsonOf } from "../../../values/json.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { routingErrors } from "../../errors.ts";
import {
  interruptedWaitError,
  type LockHolder,
  type LockRequest,
  lockedError,
} from "../backend.ts";

/** The options for requests to a state server. */
export interface StateServerOptions {
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

/**
 * Sends a request to a state server. GET and DELETE are retried like requests to the service; the
 * others are not, see {@link retryUntilKnown}.
 * @throws {ServiceError} if no answer came
 * @throws {InterruptedError} if the signal ended it
 */
export async function sendStateRequest(
  { action, interruptible = false, headers = {}, ...request }: StateRequest,
  options: StateServerOptions,
): Promise<StateResponse> {
  // Imported with the first request: ky is slow to load, and a local state does not need it.
  const { send } = await import("../../../api/client/send.ts");
  const { method, url } = request;
  const { timeoutMs = TIMEOUT_MS, onWait, retries } = options;
  const bound = interruptible
    ? { signal: options.signal ?? NEVER_ABORTED, end: () => {} }
    : boundOf(options, timeoutMs);
  try {
    const { answer, repeated } = await send(
      { ...request, headers, path: url.pathname, does: action },
      {
        baseUrl: url.origin,
        userAgent: `amp/${version}`,
        limits: bodyLimits("GET", url.pathname, MAX_ANSWER_BYTES),
        timeoutMs,
        retries: ["GET", "DELETE"].includes(method) ? retries : 0,
        signal: bound.signal,
        network: await options.network?.(),
        onWait,
      },
    );
    return { ...answer, repeated };
  } catch (error) {
    if (!bound.signal.aborted) throw noAnswerError(action, error);
    if (!isInterrupt(error)) throw error;
    if (interruptible) {
      throw signalError(bound.signal.reason, { done: "Nothing was sent to the service." });
    }
    throw error instanceof InterruptedError
      ? routingErrors.state_request_interrupted(action)
      : routingErrors.state_request_terminated(action);
  } finally {
    bound.end();
  }
}

/** The signal that ends a request some time after the signals of the run; `end` stops its timers. */
function boundOf(
  {
    signal = NEVER_ABORTED,
    urgentSignal = NEVER_ABORTED,
    stoppedMs = STOPPED_MS,
  }: StateServerOptions,
  timeoutMs: number,
) {
  const after = (from: AbortSignal, ms: () => number) =>
    graceAfter(from, (until) => pause(ms(), undefined, { signal: until }));
  // The deadline of a command never cuts the save of what it did.
  const graces = [
    after(signal, () => Math.min(signal.reason === DEADLINE ? timeoutMs : stoppedMs, timeoutMs)),
    after(urgentSignal, () => Math.min(URGENT_MS, stoppedMs)),
  ];
  return {
    signal: AbortSignal.any(graces.map((grace) => grace.signal)),
    end: () => {
      for (const { end } of graces) end();
    },
  };
}

/** The error for a missing answer: the client's own message speaks of the service. */
function noAnswerError(action: string, error: unknown): unknown {
  // A usage error is a wrong proxy or certificate setting.
  if (!(error instanceof AmpError) || isInterrupt(error) || error instanceof UsageError) {
    return error;
  }
  const { facts, message: detail } = error;
  const { retryable = true, remedy } = facts;
  return routingErrors.state_server_silent(action, detail, retryable, remedy, error);
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
  const mayPass = [408, 425, 429, 500, 502, 503, 504].includes(status);
  const isRefusal = status >= 400 && status < 500 && !mayPass;
  const facts = {
    ...(mayPass ? { retryable: true } : {}),
    ...redactFacts({ status, ...defined({ detail }) }),
  };
  if ([401, 403].includes(status)) return routingErrors.state_server_denied(action, status, facts);
  return isRefusal
    ? routingErrors.state_server_refused(action, status, facts)
    : routingErrors.state_server_failed(action, status, facts);
}

/** A request that has the same effect however often it is sent. */
export interface RepeatableRequest<Result> {
  send(): Promise<StateResponse>;
  /**
   * The result that an answer means.
   * @throws {AmpError} where it was not done, `retryable` if another attempt may do it
   */
  judge(answer: StateResponse): Result | Promise<Result>;
  /** Finds out whether a request without an answer was applied; undefined, or an error: no. */
  findResult?(): Promise<Result | undefined>;
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
    try {
      const answer = await send();
      return await judge({ ...answer, repeated: answer.repeated || attempt > 1 });
    } catch (error) {
      if (!(error instanceof AmpError) || isInterrupt(error)) throw error;
      const { retryable = false } = error.facts;
      maybeApplied ||= retryable;
      const found = maybeApplied ? await findResult?.().catch(() => undefined) : undefined;
      if (found !== undefined) return found;
      if (!retryable || attempt >= attempts) throw error;
    }
    await pause(Math.random() * backoffMs * 2 ** attempt);
  }
}

/** The digest of a saved text, by which a run knows its own among those of others. */
export function textDigest(text: string | undefined): string {
  return text === undefined ? "" : createHash("sha256").update(text).digest("base64");
}

/**
 * Reads the URL of a state server: https, or http on this machine.
 * @param source for messages, for example `AMP_STATE_LOCK_ADDRESS`
 * @throws {UsageError} for any other URL, and for one with a user name or password
 */
export function parseServerUrl(text: string, source: string): URL {
  const url = /^https?:\/\/[^/\\\s]/iu.test(text) ? URL.parse(text) : null;
  // The URL is not shown: its password is a secret.
  if (/^[^/]*\/\/[^/?#]*@/u.test(text)) throw routingErrors.state_url_user_info(source);
  if (url === null) throw routingErrors.state_url_invalid(source);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw routingErrors.state_url_not_encrypted(source, shownUrl(url));
  }
  url.hash = "";
  return url;
}

/** A URL as messages show it: its query may contain a secret. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** The outcome of one attempt to take a lock: taken, or who has it. */
export type LockAttempt = "taken" | { readonly by: LockHolder };

/** Whether a run has the lock that it asks for: the answer that granted it may have been lost. */
export function isHeldBy({ ID }: LockInfo, attempt: LockAttempt): boolean {
  return attempt === "taken" || attempt.by.id === ID;
}

interface ServerLock {
  readonly location: string;
  /** Asks for the lock; the signal ends it. */
  acquire(info: LockInfo): Promise<LockAttempt>;
  release(info: LockInfo): Promise<void>;
  /** Releases the lock if this run has it: the answer to its request did not arrive. */
  withdraw(info: LockInfo): Promise<void>;
}

const POLL_MS = 2_000;

/**
 * Works while holding a lock of a server, after waiting for it as long as the request allows.
 * @throws {ConflictError} with the holder, when the wait is over
 * @throws {InterruptedError} when the signal ends the wait
 */
export async function withServerLock<Result>(
  lock: ServerLock,
  request: LockRequest,
  options: StateServerOptions,
  work: (info: LockInfo) => Promise<Result>,
): Promise<Result> {
  const info = newLockInfo(request.command, request.job);
  const unlock = suggest("notify state unlock", [info.ID]);
  await acquireServerLock(lock, info, request, options).catch(async (error: unknown) => {
    const isConflict = error instanceof ConflictError;
    if (error instanceof AuthError) error.setFacts({ done: "Nothing was sent to the service." });
    if (request.signal.aborted && !isConflict) {
      // The request may never have arrived.
      const doubt = `This run could not check whether it took the lock of ${lock.location}. If the next run finds it locked:`;
      await lock.withdraw(info).catch(() => options.warn?.(doubt, unlock));
    } else if (error instanceof ServiceError && error.cause instanceof UnknownOutcomeError) {
      const remedy =
        "The server may have granted the lock. If the next run finds the state locked, remove the lock:";
      await lock.withdraw(info).catch(() => error.setFacts({ remedy, suggestion: unlock }));
    }
    throw error;
  });
  try {
    return await work(info);
  } finally {
    // A lock that stays is only a warning, because the work is done. The next run reports it.
    await lock.release(info).catch((error: Error) => {
      options.warn?.(`${error.message}. To remove the lock:`, unlock);
    });
  }
}

async function acquireServerLock(
  lock: ServerLock,
  info: LockInfo,
  { wait, onWait, signal }: LockRequest,
  { pollMs = POLL_MS }: StateServerOptions,
): Promise<void> {
  const end = performance.now() + wait;
  for (let isTold = false; ; ) {
    const attempt = await lock.acquire(info);
    if (attempt === "taken" || isHeldBy(info, attempt)) return;
    const left = end - performance.now();
    if (left <= 0) throw lockedError(lock.location, attempt.by, { wait });
    if (!isTold) onWait?.(attempt.by);
    isTold = true;
    // Random, so that waiting runs do not ask at the same time again and again.
    const ms = Math.min(left, pollMs * (0.5 + Math.random() / 2));
    await pause(ms, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw interruptedWaitError(lock.location, signal.reason);
  }
}

/** Terraform's description of a lock, which its state servers keep and report. */
export interface LockInfo {
  readonly ID: string;
  readonly Operation: string;
  readonly Info: string;
  readonly Who: string;
  readonly Version: string;
  /** RFC 3339. */
  readonly Created: string;
  readonly Path: string;
}

/** Describes a lock of this process. GitLab shows `Who` beside the lock. */
export function newLockInfo(command: string, job?: string): LockInfo {
  const owner = thisOwner(command, undefined, job);
  return {
    ID: owner.id,
    Operation: "apply",
    Info: command,
    Who: describeOwner(owner),
    Version: `amp ${version}`,
    Created: owner.since,
    Path: "",
  };
}

/**
 * Reads the holder of a lock from the body of an answer; a missing field stays missing.
 * @param asker the lock of the request: GitLab repeats the asker's own `Info` in its answer
 */
export function parseLockHolder(text: string, asker?: LockInfo): LockHolder {
  const { ID, Info, Who, Created }: Partial<Record<keyof LockInfo, unknown>> = Object(jsonOf(text));
  const command = Info === asker?.Info && ID !== asker?.ID ? undefined : Info;
  const holder = { id: ID, command, who: Who, since: Created };
  return Object.fromEntries(
    Object.entries(holder).filter(([, value]) => typeof value === "string" && value !== ""),
  );
}
