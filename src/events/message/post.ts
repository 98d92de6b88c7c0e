import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import { networkFailure } from "../../api/network/network-failure.ts";
import { asList } from "../../values/basics.ts";

/** The platform waits so long for an answer, in milliseconds. */
const ANSWER_LIMIT_MS = 15_000;

/** The bytes of an answer's body that are read; the rest is left. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Headers of a connection, not of the message that it brings: the next connection has its own. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
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
 * The headers of a message for the next connection; one that came several times has all its values.
 */
export function sentHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): OutgoingHttpHeaders {
  const sent: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    if (CONNECTION_HEADERS.has(name.toLowerCase())) continue;
    const before = sent[name];
    sent[name] = before === undefined ? value : [...asList(before), value];
  }
  return sent;
}

/** Why a message got no answer. */
export interface PostFailure {
  /** `unreachable`: the receiver saw nothing of the message; `stopped`: by the caller's signal. */
  readonly kind: "unreachable" | "closed" | "late" | "stopped";
  readonly reason: string;
  readonly isCertificate?: boolean;
}

/** The answer of a receiver to a message, or why none came. */
export interface Answer {
  readonly status?: number;
  /** Milliseconds until the head of the answer came, or the attempt failed. */
  readonly durationMs: number;
  readonly headers: IncomingHttpHeaders;
  /** The first bytes of the body. */
  readonly body: Uint8Array;
  /** Why no answer came, or why its body broke off. */
  readonly failure?: PostFailure;
}

interface Posting extends Pick<RequestOptions, "agent" | "rejectUnauthorized"> {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Uint8Array;
  /** The time for the whole answer; absent: as long as the platform waits. */
  readonly timeoutMs?: number | undefined;
  /** The time for the body of an answer whose head has come; absent: the rest of the time. */
  readonly bodyMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Posts a message to a webhook, once. It knows neither proxies nor redirects, since a message must
 * reach the address that it is for and no other. Connections are kept open, unless the agent says
 * otherwise. Never rejects.
 */
export async function post(url: URL, posting: Posting): Promise<Answer> {
  const { timeoutMs = ANSWER_LIMIT_MS, bodyMs, signal, ...message } = posting;
  const began = performance.now();
  const elapsed = () => Math.max(0, Math.round(performance.now() - began));
  // AbortSignal.timeout and any() would hold each request in memory for the whole time.
  const end = new AbortController();
  const stop = () => end.abort("stopped");
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop);
  let timer = setTimeout(() => end.abort("late"), timeoutMs);
  const failureOf = (error: unknown): PostFailure => {
    if (end.signal.reason === "stopped") return { kind: "stopped", reason: "interrupted" };
    if (end.signal.reason === "late") {
      return { kind: "late", reason: `no response within ${timeoutMs / 1000} s` };
    }
    const { sent, tls, reason } = networkFailure(error);
    const kind = sent && tls === undefined ? "closed" : "unreachable";
    return { kind, reason, isCertificate: tls === "certificate" };
  };
  try {
    const response = await overConnection(url, { ...message, signal: end.signal });
    const durationMs = elapsed();
    if (bodyMs !== undefined) {
      clearTimeout(timer);
      timer = setTimeout(() => response.destroy(), bodyMs);
    }
    const { body, error } = await startOf(response);
    const { statusCode: status = 0, headers } = response;
    const head = { status, durationMs, headers, body };
    return error === undefined ? head : { ...head, failure: failureOf(error) };
  } catch (error) {
    return { durationMs: elapsed(), headers: {}, body: Buffer.alloc(0), failure: failureOf(error) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** The answer as soon as its head has come. */
async function overConnection(
  url: URL,
  { headers, body, ...options }: Posting & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  for (let attempt = 1; ; attempt += 1) {
    const request = send(url, {
      ...options,
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
    });
    const answer = await new Promise<IncomingMessage | NodeJS.ErrnoException>((resolve) => {
      request.once("response", resolve).on("error", resolve).end(body);
    });
    if (!(answer instanceof Error)) return answer;
    // A connection that the receiver closed while it was idle says nothing about the message.
    const isClosedIdle =
      request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(answer.code ?? "");
    if (!isClosedIdle || attempt === 3) throw answer;
  }
}

/** The start of a body, with the error of one that broke off. More is not waited for. */
async function startOf(
  response: AsyncIterable<Uint8Array>,
): Promise<{ readonly body: Uint8Array; readonly error?: unknown }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const start = () => Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES);
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= MAX_ANSWER_BYTES) break;
    }
    return { body: start() };
  } catch (error) {
    return { body: start(), error };
  }
}
