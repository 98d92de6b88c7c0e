import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from "node:http";
import { type RequestOptions, request as requestHttps, Agent as TlsAgent } from "node:https";
import { asList } from "../../values/basics.ts";

/** The platform waits so long for an answer, in milliseconds. */
export const ANSWER_LIMIT_MS = 15_000;

interface Posting extends Pick<RequestOptions, "agent" | "rejectUnauthorized"> {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

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
  const sent: Record<string, OutgoingHttpHeader> = {};
  for (const [name, value] of headers) {
    if (CONNECTION_HEADERS.has(name.toLowerCase())) continue;
    const before = sent[name];
    sent[name] = before === undefined ? value : asList(before, value).map(String);
  }
  return sent;
}

/**
 * Posts a message to a webhook. It knows neither proxies nor redirects, since a message must reach
 * the address that it is for and no other.
 * @returns the answer as soon as its head has come
 * @throws an error whose `wasReused` says whether the connection had served another message
 */
function postMessage(url: URL, { headers, body, ...options }: Posting): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      ...options,
      method: "POST",
      headers: { ...headers, "content-length": body.byteLength },
    });
    request.once("response", resolve);
    request.on("error", (error) =>
      reject(Object.assign(error, { wasReused: request.reusedSocket })),
    );
    request.end(body);
  });
}

/** Why a message got no answer. */
export interface PostFailure {
  /** `unreachable`: the receiver saw nothing of the message; `stopped`: by the caller's signal. */
  readonly kind: "unreachable" | "closed" | "late" | "stopped";
  readonly reason: string;
  readonly isCertificate?: boolean;
}

/** The failures before the receiver could see anything of the message. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the host name could not be resolved",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "the connection timed out",
};

const CERTIFICATE = /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/u;

function failureOf(error: unknown): PostFailure {
  const { code: own, message } = error as NodeJS.ErrnoException;
  // An address of each family was tried.
  const causes = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  const code = own ?? causes[0]?.code ?? "";
  const known = UNREACHABLE[code];
  if (known !== undefined) return { kind: "unreachable", reason: known };
  if (CERTIFICATE.test(code)) {
    const reason = `the certificate is not accepted (${code})`;
    return { kind: "unreachable", reason, isCertificate: true };
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return { kind: "unreachable", reason: "the receiver does not speak TLS" };
  }
  if (code.startsWith("HPE_")) return { kind: "closed", reason: "the response is not valid HTTP" };
  const isClosed = code === "ECONNRESET" || code === "EPIPE" || message === "";
  return {
    kind: "closed",
    reason: isClosed ? "the connection was closed without a response" : message,
  };
}

/** The answer of a receiver to a message. */
export interface Received {
  readonly status?: number;
  /** Milliseconds until the head of the answer came, or the attempt failed. */
  readonly durationMs: number;
  /** Why no answer came. */
  readonly error?: string;
  /** The first bytes of the answer's body, as text. */
  readonly response?: string;
  /** The header `webhook-delivery` of the answer. */
  readonly control?: string | undefined;
}

interface Answer extends Received {
  readonly headers: IncomingHttpHeaders;
  /** The first bytes of the body. */
  readonly body: Uint8Array;
  /** Why no answer came, or why its body broke off. */
  readonly failure?: PostFailure;
}

interface PostOptions extends Omit<Posting, "signal"> {
  readonly timeoutMs?: number | undefined;
  /** The time for the body of an answer whose head has come; absent: the rest of the time. */
  readonly bodyMs?: number;
  readonly signal?: AbortSignal;
  /** The bytes of the answer's body that are kept, and that are read at most. */
  readonly kept: number;
  readonly read?: number;
}

/** Posts a message to a webhook, once. Never rejects. */
export async function post(
  url: URL,
  {
    timeoutMs = ANSWER_LIMIT_MS,
    bodyMs,
    signal = NEVER,
    kept,
    read = kept,
    ...message
  }: PostOptions,
): Promise<Answer> {
  const began = performance.now();
  // AbortSignal.timeout would hold each request in memory for the whole time.
  const late = new AbortController();
  let timer = setTimeout(() => late.abort(), timeoutMs);
  const explained = (error: unknown): PostFailure => {
    if (signal.aborted) return { kind: "stopped", reason: "interrupted" };
    if (!late.signal.aborted) return failureOf(error);
    return { kind: "late", reason: `no response within ${timeoutMs / 1000} s` };
  };
  const stop = signal === NEVER ? late.signal : AbortSignal.any([signal, late.signal]);
  const elapsed = () => Math.max(0, Math.round(performance.now() - began));
  try {
    const response = await overConnection(url, { ...message, signal: stop });
    const durationMs = elapsed();
    if (bodyMs !== undefined) {
      clearTimeout(timer);
      timer = setTimeout(() => response.destroy(), bodyMs);
    }
    const { start, error } = await startOf(response, kept, read);
    const { headers } = response;
    return {
      status: response.statusCode ?? 0,
      durationMs,
      response: start.toString(),
      control: headers["webhook-delivery"]?.toString(),
      headers,
      body: start,
      ...(error !== undefined && { failure: explained(error) }),
    };
  } catch (error) {
    const failure = explained(error);
    const none = { headers: {}, body: Buffer.alloc(0) };
    return { durationMs: elapsed(), error: failure.reason, failure, ...none };
  } finally {
    clearTimeout(timer);
  }
}

const NEVER = new AbortController().signal;

async function overConnection(url: URL, posting: Posting): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await postMessage(url, posting);
    } catch (error) {
      // A connection that the receiver closed while it was idle says nothing about the message.
      const { wasReused, code } = error as { wasReused?: boolean; code?: string };
      const isClosedIdle = wasReused && (code === "ECONNRESET" || code === "EPIPE");
      if (!isClosedIdle || attempt === 3) throw error;
    }
  }
}

/** The start of a body, with the error of one that broke off. More is not waited for. */
async function startOf(
  response: IncomingMessage,
  kept: number,
  read: number,
): Promise<{ readonly start: Buffer; readonly error?: unknown }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const start = () => Buffer.concat(chunks).subarray(0, kept);
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      if (size < kept) chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= read) break;
    }
    return { start: start() };
  } catch (error) {
    return { start: start(), error };
  }
}

/** Posts a body to a webhook. Never rejects. */
export type Post = (
  url: URL,
  message: {
    readonly headers: OutgoingHttpHeaders;
    readonly body: string;
    readonly timeoutMs: number;
  },
) => Promise<Received>;

const KEPT_BYTES = 500;
/** An answer that goes on beyond this is not read to its end. */
const READ_BYTES = 64 * 1024;

/** Creates a client for webhooks, which keeps connections open between messages. */
export function createPost(): { readonly post: Post; close(): void } {
  const agents = {
    "http:": new Agent({ keepAlive: true }),
    "https:": new TlsAgent({ keepAlive: true }),
  };
  return {
    post: async (url, { headers, body, timeoutMs }) => {
      const agent = agents[url.protocol as keyof typeof agents];
      if (agent === undefined) return { durationMs: 0, error: "the URL is not http or https" };
      const bytes = Buffer.from(body);
      const wanted = { kept: KEPT_BYTES, read: READ_BYTES };
      return post(url, { agent, headers, body: bytes, timeoutMs, ...wanted });
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
