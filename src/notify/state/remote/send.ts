import { setTimeout as pause } from "node:timers/promises";
import { excerptOf, type HttpAnswer } from "../../../api/answer/answer.ts";
import type { ClientOptions } from "../../../api/client/client-options.ts";
import {
  AmpError,
  AuthError,
  InterruptedError,
  RejectedError,
  ServiceError,
  TerminatedError,
  UsageError,
} from "../../../errors.ts";
import { version } from "../../../runtime/version.ts";
import { redactSecrets } from "../../../secrets/secret.ts";

/** How a state server is spoken to. */
export interface StateServerOptions {
  readonly fetch?: ClientOptions["fetch"];
  /** How requests get out, found with the first one. Absent: by the global `fetch`. */
  readonly network?: () => Promise<ClientOptions["network"]>;
  /** The longest wait for one answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** The longest wait before the first repetition; doubled with each further one. */
  readonly backoffMs?: number;
  /** The longest wait between two looks at a lock that is held. */
  readonly pollMs?: number;
  /** Told where a lock could not be given back. */
  readonly warn?: (text: string) => void;
  /** Ends what only looks, and nothing else: what is begun with a state is brought to its end. */
  readonly signal?: AbortSignal;
}

/** A request to a state server. */
export interface StateRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The middle of a sentence, with the place: `save https://…`. */
  readonly does: string;
  /** Nothing hangs on it: the signal ends it. */
  readonly idle?: boolean;
}

/** What came back. */
export interface StateResponse extends HttpAnswer {
  /** It was sent more than once: an earlier one may have had its effect already. */
  readonly repeated: boolean;
}

const NEVER_ABORTED = new AbortController().signal;
const TIMEOUT_MS = 30_000;
/** A state of a hundred thousand routes has about 30 MB. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Sends a request to a state server; GET and DELETE again where that is right.
 * @throws {ServiceError} where no answer came
 * @throws {InterruptedError} where the signal ended it
 */
export async function sendStateRequest(
  message: StateRequest,
  options: StateServerOptions,
): Promise<StateResponse> {
  // With the first request: ky is dear, and a local state needs none.
  const { exchange } = await import("../../../api/client/exchange.ts");
  const { method, url, headers = {}, body, does, idle = false } = message;
  try {
    const { answer, repeated } = await exchange(
      {
        info: { method, path: url.pathname, does, host: url.host, credential: undefined },
        url,
        headers,
        limit: MAX_ANSWER_BYTES,
        singleAttempt: !["GET", "DELETE"].includes(method),
        ...(body === undefined ? {} : { body }),
      },
      {
        baseUrl: url.origin,
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        signal: (idle ? options.signal : undefined) ?? NEVER_ABORTED,
        userAgent: `amp/${version}`,
        network: await options.network?.(),
        ...(options.fetch ? { fetch: options.fetch } : {}),
      },
    );
    if (!answer) throw new Error("the answer was not read");
    return { ...answer, repeated };
  } catch (error) {
    throw noAnswerError(does, error);
  }
}

/** Whether an answer of this status may be another one the next time. */
export function isTransient(status: number): boolean {
  return TRANSIENT_STATUSES.has(status);
}

/**
 * The error for an answer that is none of those that the protocol knows.
 * The server may echo what it was sent; none of that is shown.
 */
export function refusedError(
  answer: HttpAnswer,
  does: string,
  detail: string | undefined = excerptOf(answer),
): AmpError {
  const { status } = answer;
  const facts = { status, ...(detail === undefined ? {} : { detail }) };
  const kind = [401, 403].includes(status)
    ? AuthError
    : status >= 400 && status < 500 && !isTransient(status)
      ? RejectedError
      : ServiceError;
  return new kind(`Could not ${does}: it answered ${status}`, redactSecrets(facts));
}

function isInterruption(error: AmpError): boolean {
  return error instanceof InterruptedError || error instanceof TerminatedError;
}

/** The words of the service's client speak of the service. */
function noAnswerError(does: string, error: unknown): unknown {
  if (!(error instanceof AmpError) || isInterruption(error)) return error;
  // What the environment says of the way there is wrong.
  if (error instanceof UsageError) return error;
  const { facts, message } = error;
  return new ServiceError(
    `Could not ${does}`,
    {
      detail: message,
      retryable: facts.retryable !== false,
      ...(facts.remedy === undefined ? {} : { remedy: facts.remedy }),
    },
    { cause: error },
  );
}

/** What an answer means: the end of it, or an error, after which to send again or not. */
export type AnswerVerdict<Result> =
  | { readonly done: Result }
  | { readonly error: AmpError; readonly again: boolean };

/** A request whose effect is the same however often it is sent. */
export interface RepeatableRequest<Result> {
  send(): Promise<StateResponse>;
  judge(answer: StateResponse): AnswerVerdict<Result> | Promise<AnswerVerdict<Result>>;
  /** Asked once an answer is missing: whether it had its effect. Undefined, or an error, for no. */
  look?(): Promise<Result | undefined>;
}

const MAX_ATTEMPTS = 3;
const BACKOFF_MS = 250;

/**
 * Sends until it is known what became of it, three times at the most. After a lost answer it looks
 * first, for a server may refuse the second of two equal requests.
 * @throws {AmpError} the last error
 */
export async function retryUntilKnown<Result>(
  { send, judge, look }: RepeatableRequest<Result>,
  { backoffMs = BACKOFF_MS }: StateServerOptions,
): Promise<Result> {
  let doubt = false;
  for (let attempt = 1; ; attempt += 1) {
    const verdict = await send().then(judge, verdictOfFailure);
    if ("done" in verdict) return verdict.done;
    doubt ||= verdict.again;
    const found = doubt ? await look?.().catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    if (!verdict.again || attempt === MAX_ATTEMPTS) throw verdict.error;
    await pause(Math.random() * backoffMs * 2 ** attempt);
  }
}

function verdictOfFailure(error: unknown): AnswerVerdict<never> {
  if (!(error instanceof ServiceError)) throw error;
  return { error, again: error.facts.retryable !== false };
}
