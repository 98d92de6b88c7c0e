/** A sandbox with faults for clients in this process, which knows what was asked of it. */
import { once } from "node:events";
import {
  createFaultySandbox as create,
  type Exchange,
  type FaultySandbox as Faulty,
  type FaultyOptions,
  firstHalf,
  type Reply,
} from "../src/sandbox/faults/faulty-sandbox.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { derived } from "../src/values/basics.ts";

/** A sandbox with faults. */
export interface FaultySandbox extends Sandbox, Pick<Faulty, "handle" | "follow"> {
  /** Every request, in the order of arrival. */
  readonly log: readonly Exchange[];
  /** Resolves when every request is handled, also those whose client has gone. */
  idle(): Promise<void>;
}

/** Creates a sandbox with the faults of a script. */
export function createFaultySandbox(options: FaultyOptions = {}): FaultySandbox {
  const log: Exchange[] = [];
  const inWork = new Set<Promise<unknown>>();
  const faulty = create({
    ...options,
    observe: (moment, exchange) => {
      if (moment === "arrived") log.push(exchange);
      return options.observe?.(moment, exchange);
    },
  });
  const handle: Faulty["handle"] = (request) => {
    const work = faulty.handle(request);
    const done = work.catch(() => {}).finally(() => inWork.delete(done));
    inWork.add(done);
    return work;
  };
  return derived(faulty.sandbox, {
    log,
    handle,
    follow: faulty.follow,
    fetch: async (request: Request) => {
      const { reply, answered } = await Promise.race([handle(request), abandoned(request)]);
      await answered();
      return fetchResult(reply);
    },
    idle: async () => {
      while (inWork.size > 0) await Promise.all(inWork);
    },
  });
}

/** Rejects when the client has gone; its request goes on. */
async function abandoned({ signal }: Request): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw signal.reason;
}

/** Turns a reply into the result of `fetch`, for a client in the same process. */
async function fetchResult(reply: Reply): Promise<Response> {
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

function failure(message: string, cause: { readonly code: string; readonly syscall?: string }) {
  return new TypeError(message, { cause: Object.assign(new Error(cause.code), cause) });
}
