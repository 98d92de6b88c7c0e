import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { ServiceError } from "../errors.ts";
import {
  ANSWER_LIMIT_MS,
  noResponse,
  postFailure,
  postMessage,
  readStart,
} from "../events/post-message.ts";
import { redactSecrets } from "../secrets/secret.ts";
import type { ReceiverAnswer } from "./check.ts";
import type { TestMessage } from "./messages.ts";

/** Where messages go, and how. */
export interface Receiver {
  readonly url: URL;
  /** Headers beyond those of the message, for example a token of a gateway in front. */
  readonly headers: Readonly<Record<string, string>>;
  readonly insecureTls: boolean;
  /** The variable that names a proxy for this URL, which is not used. */
  readonly unusedProxy?: string | undefined;
  /** How long an answer may take, in milliseconds; default: as long as the platform waits. */
  readonly limitMs?: number | undefined;
}

/** The characters of an answer's body that are kept, and the bytes that are read for them. */
const SHOWN_CHARACTERS = 200;
const READ_BYTES = 4096;
/** The time for the body of an answer, whose head has come. */
const BODY_MS = 1000;

/**
 * Sends one message over a connection of its own, as a sender does that has not spoken to the
 * receiver before: one that another message used may have been closed by the receiver meanwhile.
 * Never rejects, except when the signal aborts.
 */
async function sendMessage(
  message: TestMessage,
  { url, headers, insecureTls, limitMs = ANSWER_LIMIT_MS }: Receiver,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  const began = performance.now();
  const took = () => Math.max(0, performance.now() - began);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  try {
    const response = await postMessage(url, {
      agent: false,
      rejectUnauthorized: !insecureTls,
      signal: AbortSignal.any([signal, late.signal]),
      headers: {
        "content-type": "application/json",
        "user-agent": "amp webhooks test",
        ...headers,
        ...message.headers,
      },
      body: Buffer.from(message.body),
    });
    const ms = took();
    clearTimeout(timer);
    const bodyStart = await startOf(response);
    const { location, "webhook-delivery": control, "retry-after": again } = response.headers;
    return {
      message,
      status: response.statusCode ?? 0,
      ms,
      bodyStart: withoutSignatures(bodyStart, message),
      ...(location === undefined ? {} : { location: redactSecrets(location) }),
      ...(/^\d+$/u.test(again ?? "") ? { retryAfterSeconds: Number(again) } : {}),
      ...(control === undefined ? {} : { control: String(control) }),
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const isLate = late.signal.aborted;
    const failure = isLate
      ? ({ kind: "late", reason: noResponse(limitMs) } as const)
      : postFailure(error);
    return { message, ms: took(), failure };
  } finally {
    clearTimeout(timer);
  }
}

/** The first bytes of a body as text, as far as it came: the status is what counts. */
async function startOf(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  const { start } = await readStart(response, READ_BYTES);
  clearTimeout(timer);
  response.destroy();
  return start.toString("utf8");
}

/** Some receivers answer with the signature that they expected. */
function withoutSignatures(text: string, { headers }: TestMessage): string {
  const sent = Object.values(headers).flatMap((value) => value.match(SIGNATURE) ?? []);
  const hidden = sent.reduce((rest, one) => rest.replaceAll(one, "[redacted]"), text);
  const shown = redactSecrets(hidden).replaceAll(SIGNATURE, "[redacted]").trim();
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
}

/** A SHA-256 in base64, which has 43 characters and one to fill it. */
const SIGNATURE = /[A-Za-z0-9+/]{43}=/gu;

/**
 * How long a receiver that limits the rate is waited for at most, in milliseconds, and how often.
 */
const MAX_WAIT_MS = 30_000;
const MAX_ATTEMPTS = 3;

/** How messages are sent. */
interface Sending {
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
  /** Waits; tests do not. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** Sends a message, again after a while if the receiver says that there were too many. */
async function sendPatiently(
  message: TestMessage,
  { receiver, signal, wait = (ms) => pause(ms, undefined, { signal }) }: Sending,
): Promise<ReceiverAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await sendMessage(message, receiver, signal);
    if (answer.status !== 429 || attempt === MAX_ATTEMPTS) return answer;
    await wait(Math.min(MAX_WAIT_MS, (answer.retryAfterSeconds ?? attempt) * 1000));
  }
}

/** The messages that were sent, with their answers. */
export type SentMessages = ReturnType<typeof createSender>;

/** Begins to send messages to a receiver, one after the other. */
export function createSender(sending: Sending) {
  const all: ReceiverAnswer[] = [];
  return {
    all: all as readonly ReceiverAnswer[],
    /** The answers by check; none for one that sent nothing. */
    byCheck: new Map<string, readonly ReceiverAnswer[]>(),
    /**
     * Sends messages until one is answered too late.
     * @throws {ServiceError} where the first of all does not reach the receiver
     */
    async send(messages: readonly TestMessage[], stopsAtFailure = false) {
      const answers: ReceiverAnswer[] = [];
      for (const message of messages) {
        const answer = await sendPatiently(message, sending);
        answers.push(answer);
        all.push(answer);
        if (all.length === 1) assertReached(answer, sending.receiver);
        // Each further one would have to be waited for as long.
        if (answer.failure?.kind === "late") break;
        if (stopsAtFailure && answer.failure !== undefined) break;
      }
      return answers;
    },
  };
}

function assertReached(
  { failure }: ReceiverAnswer,
  { url, insecureTls, unusedProxy }: Receiver,
): void {
  if (failure?.kind !== "unreachable") return;
  const isCertificate = failure.isCertificate && !insecureTls;
  throw new ServiceError(`Could not reach ${url.origin}: ${failure.reason}`, {
    ...(unusedProxy !== undefined && {
      detail: `The proxy of ${unusedProxy} is not used: it could change what the receiver gets.`,
    }),
    remedy: isCertificate
      ? "Set NODE_EXTRA_CA_CERTS=FILE to trust its certificate authority, or add --insecure-tls if the receiver is your own."
      : unusedProxy === undefined
        ? "Start the receiver, or check the URL."
        : "Start the receiver, check the URL, or run the test on a machine that reaches it directly.",
    done: "No message was delivered.",
  });
}
