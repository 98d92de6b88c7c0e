import { channel } from "node:diagnostics_channel";
import { fetchReportsSending } from "../../runtime/runtime.ts";

/**
 * The number of times that a request was sent; `unclear` where the runtime does not report it.
 * `several` is possible because fetch itself repeats a request that is answered with 421.
 */
export type SendCount = "no" | "once" | "several" | "unclear";

interface WatchedRequest {
  readonly method: string;
  readonly url: URL;
  /** The Idempotency-Key, which distinguishes the request from others to the same URL. */
  readonly key?: string | undefined;
}

/** A detector of sends, which runs until it is stopped. */
interface SendDetector {
  sent(): SendCount;
  stop(): void;
}

/** The fields of a request that undici publishes and this module needs. */
interface Published {
  readonly method?: unknown;
  readonly path?: unknown;
  /** The headers, names and values alternating. */
  readonly headers?: unknown;
}

const CREATED = channel("undici:request:create");
/** The channel of a request whose first byte is about to be written. */
const SENDING = channel("undici:client:sendHeaders");

/**
 * Detects by the diagnostics channels of Node's fetch whether a request is sent. The result is "no"
 * only if the request was seen being created: other runtimes and other fetches do not publish it.
 */
export function detectSends(watched: WatchedRequest): SendDetector {
  const made = new Set<unknown>();
  let sendings = 0;
  const onCreated = (message: unknown) => {
    const { request } = message as { readonly request: Published };
    if (isSameRequest(request, watched)) made.add(request);
  };
  const onSending = (message: unknown) => {
    if (made.has((message as { readonly request: unknown }).request)) sendings += 1;
  };
  CREATED.subscribe(onCreated);
  SENDING.subscribe(onSending);
  return {
    sent() {
      if (!fetchReportsSending || made.size === 0) return "unclear";
      if (sendings === 0) return "no";
      return sendings === 1 ? "once" : "several";
    },
    stop() {
      CREATED.unsubscribe(onCreated);
      SENDING.unsubscribe(onSending);
    },
  };
}

function isSameRequest(
  { method, path, headers }: Published,
  { url, key, ...wanted }: WatchedRequest,
): boolean {
  // A proxy for plain http gets the full URL as path.
  const isPath = path === url.pathname + url.search || path === url.href;
  if (method !== wanted.method || !isPath) return false;
  return key === undefined || !Array.isArray(headers) || headers.includes(key);
}

/** The part of a socket that is changed. */
interface Connection {
  read(size?: number): Buffer | null;
}

/** The channel on which undici, in Node or as a package, publishes each new connection. */
const CONNECTED = channel("undici:client:connected");
/** The maximum length of an interim response: undici's own limit of headers is lower. */
const MAX_INTERIM = 64 * 1024;
/** The beginning of an interim response; 101 is final. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d\D/u;
const INTERIM_LENGTH = "HTTP/1.1 100 ".length;

/**
 * Lets Node's fetch ignore interim responses, as HTTP requires: undici closes the connection at a
 * `100 Continue` that it has not asked for, and some proxies send one with every answer. A
 * connection carries one response, because amp lets none be kept.
 */
export function ignoreInterimResponses(): void {
  CONNECTED.subscribe((message) => {
    dropInterimResponses((message as { readonly socket: Connection }).socket);
  });
}

function dropInterimResponses(socket: Connection): void {
  const read = socket.read.bind(socket);
  let held: Uint8Array = Buffer.alloc(0);
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size);
      if (chunk === null) return null;
      const { rest, isFinal } = withoutInterim(Buffer.concat([held, chunk]));
      held = rest;
      if (!isFinal) continue;
      socket.read = read;
      return rest;
    }
  };
}

/** The bytes behind the interim responses, and whether the final response has begun. */
function withoutInterim(bytes: Buffer): { readonly rest: Buffer; readonly isFinal: boolean } {
  let rest = bytes;
  for (;;) {
    const begin = rest.toString("latin1", 0, INTERIM_LENGTH);
    if (!INTERIM.test(begin)) {
      return { rest, isFinal: begin.length === INTERIM_LENGTH || !isBeginning(begin) };
    }
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return { rest, isFinal: rest.length > MAX_INTERIM };
    rest = rest.subarray(end + "\r\n\r\n".length);
  }
}

/** Whether an interim response may begin like this. */
function isBeginning(begin: string): boolean {
  return INTERIM.test(begin + "HTTP/1.1 100 ".slice(begin.length));
}
