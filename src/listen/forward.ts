import type { IncomingMessage, OutgoingHttpHeader } from "node:http";
import { isAccepted } from "../events/message.ts";
import {
  ANSWER_LIMIT_MS,
  CONNECTION_HEADERS,
  noResponse,
  postFailure,
  postMessage,
  readStart,
  sentHeaders,
} from "../events/post-message.ts";
import type { ReceivedRequest, SenderAnswer } from "./receiver.ts";

/** The result of forwarding a message. */
export interface Forwarded {
  readonly url: string;
  readonly status?: number;
  readonly ms: number;
  /** The first characters of an answer that is not a success. */
  readonly bodyStart?: string;
  readonly error?: string;
}

/** A forwarded message with the answer for the sender. */
export interface ForwardResult {
  readonly forwarded: Forwarded;
  readonly answer: SenderAnswer;
}

/** The part of an answer that is passed back; the platform reads no more of it than that. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** The characters of a failed answer that a line shows. */
const MAX_BODY_START = 200;

/**
 * With it a receiver can make the platform disable a destination or drop a message: an application
 * that is being tried must not do that.
 */
const DELIVERY_CONTROL = "webhook-delivery";

/**
 * Sends the bytes and headers of a request to another URL, once. Redirects are not followed,
 * because the platform does not follow them either.
 */
export async function forward(
  { headers, body }: Pick<ReceivedRequest, "headers" | "body">,
  url: URL,
  { signal, timeoutMs = ANSWER_LIMIT_MS }: { signal: AbortSignal; timeoutMs?: number },
): Promise<ForwardResult> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await postMessage(url, { headers: sentHeaders(headers), body, signal: limit });
    const { start: bytes, error } = await readStart(response, MAX_ANSWER_BYTES);
    if (error !== undefined) throw error;
    const status = response.statusCode ?? 0;
    const start = isAccepted({ status }) ? "" : startOf(bytes);
    return {
      forwarded: { url: url.href, status, ms: ms(), ...(start === "" ? {} : { bodyStart: start }) },
      answer: { status, headers: passedBack(response), body: bytes },
    };
  } catch (error) {
    const [status, reason] = failureOf(error, timeoutMs);
    return {
      forwarded: { url: url.href, ms: ms(), error: reason },
      answer: { status, body: `amp listen: ${reason}\n` },
    };
  }
}

/** True if the application answered 401 or 403. */
export function isRefused({ status }: Forwarded): boolean {
  return status === 401 || status === 403;
}

/** Why an application refuses messages whose signature holds. */
export function refusalReason(secret: string): string {
  return `the application may verify a body that was parsed and serialised again in place of the unchanged bytes, have another signing secret than ${secret}, or require a login or a CSRF token for this URL. amp webhooks test finds out which.`;
}

function startOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8").trim();
  return text.length > MAX_BODY_START ? `${text.slice(0, MAX_BODY_START)}…` : text;
}

function passedBack({ headers }: IncomingMessage): Record<string, OutgoingHttpHeader> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || CONNECTION_HEADERS.has(name) || name === DELIVERY_CONTROL
        ? []
        : [[name, value]],
    ),
  );
}

function failureOf(error: unknown, timeoutMs: number): [status: number, reason: string] {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError") return [504, noResponse(timeoutMs)];
  if (name === "AbortError" || code === "ABORT_ERR") return [503, "amp listen was stopped"];
  const { reason } = postFailure(error);
  return [502, code === "ECONNREFUSED" ? `${reason}: is the application running?` : reason];
}
