import { setTimeout as pause } from "node:timers/promises";
import type { Fault, FaultKind, FaultOf } from "./script.ts";

/** The reply that a client gets. */
export type Reply =
  | { readonly kind: "whole"; readonly response: Response }
  /** The head and half of the body, then the connection is closed. */
  | { readonly kind: "cut"; readonly response: Response }
  | { readonly kind: "reset" };

/** Turns a reply into the result of `fetch`, for a client in the same process. */
export async function fetchResult(reply: Reply): Promise<Response> {
  if (reply.kind === "whole") return reply.response;
  if (reply.kind === "reset") {
    throw failure("fetch failed", { code: "ECONNRESET", syscall: "read" });
  }
  const { status, headers } = reply.response;
  const [half] = await firstHalf(reply.response);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(half);
    },
    pull: (controller) => {
      controller.error(failure("terminated", { code: "UND_ERR_SOCKET" }));
    },
  });
  return new Response(body, { status, headers });
}

/** Returns the first half of a response's body, and the length of the whole in bytes. */
export async function firstHalf(response: Response): Promise<[half: Uint8Array, length: number]> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [bytes.subarray(0, bytes.length >> 1), bytes.length];
}

function failure(message: string, cause: { readonly code: string; readonly syscall?: string }) {
  return new TypeError(message, { cause: Object.assign(new Error(cause.code), cause) });
}

/** A request that a fault handles. */
export interface FaultedRequest {
  /** Lets the world handle the request; at most once. */
  readonly pass: () => Promise<Response>;
  /** Handles the request in the world as it was that many changes ago; nothing is changed. */
  readonly past: (changes: number) => Promise<Response>;
}

type Perform<Kind extends FaultKind> = (
  fault: FaultOf<Kind>,
  /** With the response of the world where the fault has `commit`. */
  request: FaultedRequest & { readonly committed?: Response | undefined },
) => Reply | Promise<Reply>;

/** When the requests passed that count for a limit. */
const passed = new WeakMap<FaultOf<"rate-limit">, number[]>();

const PERFORM: { readonly [Kind in FaultKind]: Perform<Kind> } = {
  reset: () => ({ kind: "reset" }),
  status: ({ status, retryAfter, headers }) => {
    const detail = "The fault script sent this response, whether or not the request took effect.";
    return whole(JSON.stringify({ title: "Scripted fault", status, detail }), status, {
      "content-type": "application/problem+json",
      ...(retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` }),
      ...headers,
    });
  },
  cut: (_, { committed }) => ({
    kind: "cut",
    // Without the world's response, some other body is cut.
    response: committed ?? Response.json({ id: "never" }, { status: 201 }),
  }),
  empty: ({ status }) => whole(null, status),
  html: ({ status }) => {
    const page = "<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>";
    return whole(page, status, { "content-type": "text/html; charset=utf-8" });
  },
  "no-id": async (_, { pass }) => {
    const response = await pass();
    const record: unknown = await response.json().catch(() => ({}));
    const { id, ...rest } = (record ?? {}) as Record<string, unknown>;
    return { kind: "whole", response: Response.json(rest, { status: response.status }) };
  },
  slow: async ({ ms, late }, { pass }) => {
    if (late) await pause(ms);
    const response = await pass();
    if (!late) await pause(ms);
    return { kind: "whole", response };
  },
  "rate-limit": async (fault, { pass }) => {
    const { requests, seconds } = fault;
    const now = performance.now();
    const times = (passed.get(fault) ?? []).filter((time) => now - time < seconds * 1000);
    passed.set(fault, times);
    const [oldest = now] = times;
    if (times.length < requests) {
      times.push(now);
      return { kind: "whole", response: await pass() };
    }
    const detail = `The fault script lets ${requests} requests pass in ${seconds} s.`;
    const body = JSON.stringify({ title: "Too many requests", status: 429, detail });
    const wait = Math.ceil((oldest + seconds * 1000 - now) / 1000);
    return whole(body, 429, {
      "content-type": "application/problem+json",
      "retry-after": `${Math.max(1, wait)}`,
    });
  },
  stale: async ({ changes }, { past }) => ({ kind: "whole", response: await past(changes) }),
};

/** Handles a request with a fault. */
export async function perform(fault: Fault, request: FaultedRequest): Promise<Reply> {
  const act = PERFORM[fault.do] as Perform<FaultKind>;
  const committed = "commit" in fault && fault.commit ? await request.pass() : undefined;
  return act(fault, { ...request, committed });
}

function whole(body: string | null, status: number, headers: Record<string, string> = {}): Reply {
  return { kind: "whole", response: new Response(body, { status, headers }) };
}
