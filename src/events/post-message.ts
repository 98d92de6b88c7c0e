import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";

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
 * Posts a message to a webhook. It knows neither proxies nor redirects, since a message must reach the
 * address that it is for and no other.
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
  /** Whether the certificate of the receiver is not accepted. */
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

/** The codes of a certificate that is not accepted. */
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
