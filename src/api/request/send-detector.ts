import { channel } from "node:diagnostics_channel";
import { fetchReportsSending } from "../../runtime/runtime.ts";

/**
 * The number of times that a request was sent; `unclear` where the runtime does not report it.
 * `several` is possible because fetch itself repeats a request that is answered with 421.
 */
export type SendCount = "no" | "once" | "several" | "unclear";

/** The request to watch for. */
export interface WatchedRequest {
  readonly method: string;
  readonly url: URL;
  /** The Idempotency-Key, which distinguishes the request from others to the same URL. */
  readonly key?: string | undefined;
}

/** A detector of sends, which runs until it is stopped. */
export interface SendDetector {
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
