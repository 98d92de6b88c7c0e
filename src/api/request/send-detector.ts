import { channel } from "node:diagnostics_channel";
import { fetchTellsSending } from "../../runtime/runtime.ts";

/**
 * How often the bytes of a request left this machine; `unclear` where the runtime does not tell.
 * `several`: fetch itself sends again where a server answers 421.
 */
export type SendCount = "no" | "once" | "several" | "unclear";

/** Which request is meant. */
export interface WatchedRequest {
  readonly method: string;
  readonly url: URL;
  /** The Idempotency-Key that it carries: tells it from others to the same place. */
  readonly key?: string | undefined;
}

/** A watch that runs until it is stopped. */
export interface SendDetector {
  sent(): SendCount;
  stop(): void;
}

/** What undici publishes of a request, as far as it is needed. */
interface Published {
  readonly method?: unknown;
  readonly path?: unknown;
  /** Names and values in turn. */
  readonly headers?: unknown;
}

const CREATED = channel("undici:request:create");
/** Published right before the first byte is written. */
const SENDING = channel("undici:client:sendHeaders");

/**
 * Watches whether a request leaves this machine, by the diagnostics channels of Node's fetch. That
 * nothing was sent is said only where the making of the request was seen: another runtime, or
 * another fetch, publishes neither.
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
      if (!fetchTellsSending || made.size === 0) return "unclear";
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
  // A proxy that passes plain http on is asked for the whole address.
  const isPath = path === url.pathname + url.search || path === url.href;
  if (method !== wanted.method || !isPath) return false;
  return key === undefined || !Array.isArray(headers) || headers.includes(key);
}
