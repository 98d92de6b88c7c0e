import { type IncomingMessage, type OutgoingHttpHeader, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { ReceivedRequest, SenderAnswer } from "./receiver.ts";

/** The result of forwarding a message. */
export interface Forwarded {
  readonly url: string;
  /** The status; absent where there was no answer. */
  readonly status?: number;
  readonly ms: number;
  /** The first characters of an answer that is not a success. */
  readonly bodyStart?: string;
  /** Why there was no answer. */
  readonly error?: string;
}

/** A forwarded message with the answer for the sender. */
export interface ForwardResult {
  readonly forwarded: Forwarded;
  readonly answer: SenderAnswer;
}

/** The time that the platform gives a receiver, in milliseconds. */
export const ANSWER_MS = 15_000;

/** The part of an answer that is passed back; the platform reads no more of it than that. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** The characters of a failed answer that a line shows. */
const MAX_BODY_START = 200;

/** Headers of the connection, which the next connection has its own of. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * With it a receiver can make the platform disable a destination or drop a message: an application
 * that is being tried must not do that.
 */
export const DELIVERY_CONTROL = "webhook-delivery";

/**
 * Sends the bytes and headers of a request to another URL, once. Redirects are not followed, because
 * the platform does not follow them either.
 */
export async function forward(
  { headers, body }: Pick<ReceivedRequest, "headers" | "body">,
  url: URL,
  { signal, timeoutMs = ANSWER_MS }: { signal: AbortSignal; timeoutMs?: number },
): Promise<ForwardResult> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await post(url, headers, body, limit);
    const bytes = await readStart(response);
    const status = response.statusCode ?? 0;
    const isSuccess = status >= 200 && status < 300;
    const start = isSuccess ? "" : startOf(bytes);
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

function post(
  url: URL,
  headers: ReceivedRequest["headers"],
  body: Uint8Array,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const sent: Record<string, OutgoingHttpHeader> = { "content-length": body.byteLength };
  for (const [name, value] of headers) {
    if (OF_THE_CONNECTION.has(name.toLowerCase())) continue;
    const before = sent[name];
    sent[name] = before === undefined ? value : [before, value].flat().map(String);
  }
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers: sent, signal }, resolve).on("error", reject).end(body);
  });
}

/** The first bytes of an answer; the rest is not waited for. */
async function readStart(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES);
}

function startOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8").trim();
  return text.length > MAX_BODY_START ? `${text.slice(0, MAX_BODY_START)}…` : text;
}

function passedBack({ headers }: IncomingMessage): Record<string, OutgoingHttpHeader> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_THE_CONNECTION.has(name) || name === DELIVERY_CONTROL
        ? []
        : [[name, value]],
    ),
  );
}

/** The status for the sender, and the reason in words. */
function failureOf(error: unknown, timeoutMs: number): [status: number, reason: string] {
  const { name, code = "", message } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError") return [504, `no response within ${timeoutMs / 1000} s`];
  if (name === "AbortError" || code === "ABORT_ERR") return [503, "amp listen was stopped"];
  return [502, REASONS[code] ?? message];
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: is the application running?",
  ECONNRESET: "the connection was closed without a response",
  ENOTFOUND: "the host was not found",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
};
