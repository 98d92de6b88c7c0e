import { type Answer, excerptOf } from "../../api/answer.ts";
import type { ClientOptions } from "../../api/client-options.ts";
import {
  AmpError,
  AuthError,
  InterruptedError,
  RejectedError,
  ServiceError,
  TerminatedError,
  UsageError,
} from "../../errors.ts";
import { withoutSecrets } from "../../secret.ts";
import { version } from "../../version.ts";

/** How a state server is spoken to. */
export interface SendOptions {
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
export interface Message {
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
export interface Sent extends Answer {
  /** It was sent more than once: an earlier one may have had its effect already. */
  readonly repeated: boolean;
}

const NEVER = new AbortController().signal;
const TIMEOUT_MS = 30_000;
/** A state of a hundred thousand routes has about 30 MB. */
const LONGEST_ANSWER = 256 * 2 ** 20;
const TRY_AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Sends a request to a state server; GET and DELETE again where that is right.
 * @throws {ServiceError} where no answer came
 * @throws {InterruptedError} where the signal ended it
 */
export async function send(message: Message, options: SendOptions): Promise<Sent> {
  // With the first request: ky is dear, and a local state needs none.
  const { exchange } = await import("../../api/exchange.ts");
  const { method, url, headers = {}, body, does, idle = false } = message;
  try {
    const { answer, repeated } = await exchange(
      {
        call: { method, path: url.pathname, does, host: url.host, credential: undefined },
        url,
        headers: new Headers({ "user-agent": `amp/${version}`, ...headers }),
        limit: LONGEST_ANSWER,
        once: !["GET", "DELETE"].includes(method),
        ...(body === undefined ? {} : { body }),
      },
      {
        baseUrl: url.origin,
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        signal: (idle ? options.signal : undefined) ?? NEVER,
        userAgent: "",
        network: await options.network?.(),
        ...(options.fetch ? { fetch: options.fetch } : {}),
      },
    );
    if (!answer) throw new Error("the answer was not read");
    return { ...answer, repeated };
  } catch (error) {
    throw noAnswer(does, error);
  }
}

/** Whether an answer of this status may be another one the next time. */
export function mayPass(status: number): boolean {
  return TRY_AGAIN.has(status);
}

/**
 * The error for an answer that is none of those that the protocol knows.
 * The server may echo what it was sent; none of that is shown.
 */
export function refusal(
  answer: Answer,
  does: string,
  detail: string | undefined = excerptOf(answer),
): AmpError {
  const { status } = answer;
  const facts = { status, ...(detail === undefined ? {} : { detail }) };
  const kind = [401, 403].includes(status)
    ? AuthError
    : status >= 400 && status < 500 && !mayPass(status)
      ? RejectedError
      : ServiceError;
  return new kind(`Could not ${does}: it answered ${status}`, withoutSecrets(facts));
}

function isInterruption(error: AmpError): boolean {
  return error instanceof InterruptedError || error instanceof TerminatedError;
}

/** The words of the service's client speak of the service. */
function noAnswer(does: string, error: unknown): unknown {
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
