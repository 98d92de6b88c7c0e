import ky, { isTimeoutError } from "ky";
import { type HttpAnswer, OversizeError, readAnswer, requestIdOf } from "../answer/answer.ts";
import { networkFailure } from "../network/network-failure.ts";
import { type Hop, redirectOf } from "../request/redirect.ts";
import { type AttemptOutcome, outcomeOfStatus } from "../request/retry.ts";
import { detectSends, type SendCount } from "../request/send-detector.ts";
import type { ClientOptions } from "./client-options.ts";
import type { OutgoingRequest } from "./exchange.ts";

/** What one attempt came to. */
export type HttpAttempt = {
  readonly happening: AttemptOutcome;
  /** Of a create: how often it went out. */
  readonly sent: SendCount | undefined;
} & (
  | { readonly response: Response; readonly answer: HttpAnswer | undefined }
  /** No answer, or half of one: its head may have come. */
  | { readonly response: Response | undefined; readonly error: unknown }
);

/**
 * Sends a request once. Reading the answer belongs to it: half an answer is a failure of the
 * network, and the time-out covers all of it, however slowly it drips.
 * @param nth 1 for the first
 * @param timeoutMs for this attempt
 */
export async function attemptOnce(
  out: OutgoingRequest,
  options: ClientOptions,
  { nth, timeoutMs }: { readonly nth: number; readonly timeoutMs: number },
): Promise<HttpAttempt> {
  const { call, url, headers, body } = out;
  const key = headers.get("idempotency-key") ?? undefined;
  const watch = call.creates ? detectSends({ method: call.method, url, key }) : undefined;
  const got: Got = { response: undefined, answer: undefined };
  try {
    const response = await ky(url, {
      method: call.method,
      headers,
      ...(body === undefined ? {} : { body }),
      // A redirect would take X-Api-Key along to wherever it leads: followed by hand.
      redirect: "manual",
      signal: options.signal,
      timeout: timeoutMs,
      // What is sent again, and when, is decided for all requests of the process together.
      retry: 0,
      throwHttpErrors: false,
      fetch: (input, init) => receive(input as Request, init, { out, options, nth, got }),
    });
    const happening = outcomeOfStatus(response.status);
    return { happening, sent: watch?.sent(), response, answer: got.answer };
  } catch (error) {
    const sent = watch?.sent();
    return { happening: outcomeOfError(error, sent), sent, response: got.response, error };
  } finally {
    watch?.stop();
  }
}

/** What has come so far. */
interface Got {
  response: Response | undefined;
  answer: HttpAnswer | undefined;
}

interface Receiving {
  readonly out: OutgoingRequest;
  readonly options: ClientOptions;
  readonly nth: number;
  readonly got: Got;
}

/** The answer to a request, and to where it redirects, read to its end. */
async function receive(first: Request, init: RequestInit | undefined, it: Receiving) {
  const { out, options, got } = it;
  const fetch = options.fetch ?? options.network?.fetch ?? globalThis.fetch;
  let request = first;
  for (let hops = 0; ; hops += 1) {
    const told = requestLogger(request, it);
    try {
      const response = await fetch(assertSameOrigin(request, out), init);
      got.response = response;
      const hop: Hop = { method: request.method, url: new URL(request.url) };
      const redirect =
        out.limit === undefined ? undefined : redirectOf(response, hop, out.call, hops);
      if (redirect !== undefined && "url" in redirect) {
        await response.body?.cancel();
        told({ response });
        request = new Request(redirect.url, { ...inheritedBy(request), method: redirect.method });
        continue;
      }
      if (out.limit !== undefined) {
        const answer = await readAnswer(response, out.limit, out.wholeUpTo);
        got.answer = redirect === undefined ? answer : { ...answer, redirect };
      }
      told({ response });
      return response;
    } catch (error) {
      told({ failure: networkFailure(error).reason });
      throw error;
    }
  }
}

/** The credential goes with the headers: to the origin that they were made for, and nowhere else. */
function assertSameOrigin(request: Request, { url }: OutgoingRequest): Request {
  if (new URL(request.url).origin !== url.origin) throw new Error("the request changed its origin");
  return request;
}

function inheritedBy({ headers, signal }: Request): RequestInit {
  return { headers, signal, redirect: "manual" };
}

/** Tells an exchange with the service for `--debug`, once it is over. */
function requestLogger({ method, url }: Request, { out, options, nth }: Receiving) {
  const from = performance.now();
  return ({ response, failure }: { response?: Response; failure?: string }) => {
    const requestId = response && requestIdOf(response.headers);
    options.onRequest?.({
      method,
      url,
      attempt: nth,
      ms: Math.round(performance.now() - from),
      ...(response ? { status: response.status } : {}),
      ...(requestId ? { requestId } : {}),
      ...(out.call.proxy ? { proxy: out.call.proxy.host } : {}),
      ...(out.call.requestId ? { clientRequestId: out.call.requestId } : {}),
      ...(failure === undefined ? {} : { failure }),
    });
  };
}

/** What was seen goes before what the error says. */
function outcomeOfError(error: unknown, sent: SendCount | undefined): AttemptOutcome {
  if (error instanceof OversizeError) return "oversize";
  if (isTimeoutError(error)) return sent === "no" ? "unsent" : "lost";
  const failure = networkFailure(error);
  if (failure.final) return "untrusted";
  const wasSent = sent === undefined || sent === "unclear" ? failure.sent : sent !== "no";
  return wasSent ? "lost" : "unsent";
}
