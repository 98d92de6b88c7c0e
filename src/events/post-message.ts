import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from "node:http";
import { type RequestOptions, request as requestHttps, Agent as TlsAgent } from "node:https";
import { asList } from "../values/basics.ts";

/** The platform waits so long for an answer, in milliseconds. */
export const ANSWER_LIMIT_MS = 15_000;

/** Why a message got no answer in time. */
export function noResponse(limitMs: number): string {
  return `no response within ${limitMs / 1000} s`;
}

/** A message to a webhook, and the connection that it may use. */
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
export function postMessage(
  url: URL,
  { headers, body, ...options }: Posting,
): Promise<IncomingMessage> {
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

/**
 * Reads the start of a body; more than it reads is not waited for.
 * @returns the first `kept` bytes of those that came, and the error of a body that broke off
 */
export async function readStart(
  response: IncomingMessage,
  kept: number,
  read = kept,
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

/** Why a message got no answer. */
export interface PostFailure {
  /** `unreachable`: the receiver saw nothing of the message. */
  readonly kind: "unreachable" | "closed";
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

/** The failure of a message whose post failed, in words. */
export function postFailure(error: unknown): PostFailure {
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
  readonly durationMs: number;
  readonly error?: string;
  /** The first characters of the answer's body. */
  readonly response?: string;
  /** The header `webhook-delivery` of the answer. */
  readonly control?: string | undefined;
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
  const post: Post = async (url, message) => {
    const start = performance.now();
    const elapsed = () => Math.round(performance.now() - start);
    const agent = agents[url.protocol as keyof typeof agents];
    if (agent === undefined) return { durationMs: 0, error: "the URL is not http or https" };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await exchange(url, message, agent);
        return { ...answer, durationMs: elapsed() };
      } catch (error) {
        // A connection that the receiver closed while it was idle says nothing about the message.
        if (isClosedIdle(error) && attempt < 3) continue;
        return { durationMs: elapsed(), error: reasonOf(error, message.timeoutMs) };
      }
    }
  };
  return {
    post,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function exchange(
  url: URL,
  { headers, body, timeoutMs }: Parameters<Post>[1],
  agent: Agent,
): Promise<Omit<Received, "durationMs">> {
  // AbortSignal.timeout would hold each request in memory for the whole time.
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const posting = { agent, headers, body: Buffer.from(body), signal: stop.signal };
    const response = await postMessage(url, posting);
    const control = response.headers["webhook-delivery"]?.toString();
    // An answer that breaks off has its status all the same.
    const { start } = await readStart(response, KEPT_BYTES, READ_BYTES);
    return { status: response.statusCode ?? 0, response: start.toString(), control };
  } finally {
    clearTimeout(timer);
  }
}

function isClosedIdle(error: unknown): boolean {
  const { wasReused, code } = error as { wasReused?: boolean; code?: string };
  return wasReused === true && (code === "ECONNRESET" || code === "EPIPE");
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const isLate = (error as Error).name === "AbortError";
  return isLate ? noResponse(timeoutMs) : postFailure(error).reason;
}
