import type { ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { createSandbox, type Sandbox, type SandboxOptions } from "../sandbox.ts";
import type { Served } from "../serve.ts";
import type { World } from "../world.ts";
import {
  chooser,
  type Fault,
  type FaultKind,
  type FaultOf,
  type FaultScript,
  readScript,
} from "./script.ts";

/** A request and its outcome. */
export interface Exchange {
  readonly number: number;
  readonly method: string;
  /** The path as it was sent, with its query. */
  readonly path: string;
  readonly idempotencyKey?: string;
  readonly fault?: FaultKind;
  /** The ID of the record that the request created, whatever the response was. */
  readonly created?: string;
}

/**
 * A moment of a request: it has arrived; the world has handled it (unless a fault prevents that);
 * its response is sent, or its connection broken.
 */
export type Moment = "arrived" | "passed" | "answered";

/** The options of a sandbox with faults. */
export interface FaultyOptions extends SandboxOptions {
  readonly script?: FaultScript;
  /** Called at each moment of each request, which continues when it resolves. */
  readonly observe?: (moment: Moment, exchange: Exchange) => void | Promise<void>;
}

/** A reply that is not sent yet. */
interface Handled {
  readonly reply: Reply;
  /** Must be called when the reply is sent. */
  answered(): Promise<void>;
}

/** A sandbox with faults. */
export interface FaultySandbox {
  /** The sandbox itself, whose requests have no faults. */
  readonly sandbox: Sandbox;
  handle(request: Request): Promise<Handled>;
  /**
   * Replaces the faults of the script, counted anew; its options for lists and names stay.
   * @throws {UsageError} where the faults are not valid
   */
  follow(faults: NonNullable<FaultScript["faults"]>): void;
  /** Whether there is any fault to be followed. */
  readonly isFaulty: boolean;
}

/** The maximum number of past worlds for stale responses; beyond it the oldest one is used. */
const MAX_KEPT_WORLDS = 64;

/** The faults that remove the lists which spec.md does not have. */
const MISSING_LISTS: readonly Fault[] = [
  "destinations",
  "topics",
  "notification-event-topic-routes",
  "topic-destination-routes",
].map((path) => ({ on: `GET ${path}`, do: "status", status: 404, commit: false, headers: {} }));

/**
 * Creates a sandbox with the faults of a script.
 * @throws {UsageError} where the script or the catalogue is not valid
 */
export function createFaultySandbox({
  script = {},
  observe = () => {},
  ...options
}: FaultyOptions = {}): FaultySandbox {
  const { lists, uniqueNames, faults } = readScript(script);
  const absent = lists ? [] : MISSING_LISTS;
  let rules = [...absent, ...faults];
  let choose = chooser(rules);
  const worlds: World[] = [];
  const sandbox = createSandbox({
    ...options,
    uniqueNames,
    onChange: async (world, caused) => {
      await options.onChange?.(world, caused);
      worlds.push(sandbox.world);
      if (worlds.length > MAX_KEPT_WORLDS) worlds.shift();
    },
  });
  let count = 0;

  async function handle(request: Request): Promise<Handled> {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const fault = choose(method, pathname);
    const key = headers.get("idempotency-key");
    const exchange: { -readonly [Key in keyof Exchange]: Exchange[Key] } = {
      number: ++count,
      method,
      path: pathname + search,
      ...(key !== null && { idempotencyKey: key }),
      ...(fault && { fault: fault.do }),
    };
    // The request is copied at once: a fault may delay it until the client has gone.
    const copy = await wholeCopy(request);
    await observe("arrived", exchange);
    const pass = async () => {
      const response = await sandbox.fetch(copy);
      if (method === "POST" && response.ok) exchange.created = await idOf(response);
      await observe("passed", exchange);
      return response;
    };
    const past = (changes: number) =>
      createSandbox({
        specOnly: options.specOnly,
        providers: options.providers,
        now: options.now,
        state: worlds.at(-changes) ?? worlds[0] ?? sandbox.world,
      }).fetch(copy);
    const reply = fault ? await perform(fault, { pass, past }) : await pass();
    return {
      reply: reply instanceof Response ? { kind: "whole", response: reply } : reply,
      answered: async () => observe("answered", exchange),
    };
  }

  return {
    sandbox,
    handle,
    follow: (given) => {
      rules = [...absent, ...readScript({ faults: given }).faults];
      choose = chooser(rules);
    },
    get isFaulty() {
      return rules.length > 0;
    },
  };
}

async function wholeCopy({ method, url, headers, body }: Request): Promise<Request> {
  if (body === null) return new Request(url, { method, headers });
  return new Request(url, { method, headers, body: await buffer(body) });
}

async function idOf(response: Response): Promise<string> {
  const { id } = (await response.clone().json()) as { id: string };
  return id;
}

/** Serves a sandbox with faults by {@link serveSandbox}, with faults of the connection itself. */
export function overHttp(sandbox: Pick<FaultySandbox, "handle">): Served {
  return {
    fetch: async (request, outgoing) => {
      const { reply, answered } = await sandbox.handle(request);
      if (reply.kind === "whole") {
        outgoing.once("finish", () => void answered());
        return reply.response;
      }
      if (reply.kind === "reset") outgoing.socket?.resetAndDestroy();
      else await sendHalf(reply.response, outgoing);
      await answered();
      return RESPONSE_ALREADY_SENT;
    },
  };
}

async function sendHalf(response: Response, outgoing: ServerResponse): Promise<void> {
  const [half, length] = await firstHalf(response);
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    "content-length": length,
  });
  await new Promise<void>((resolve) => {
    outgoing.write(half, () => resolve());
  });
  outgoing.destroy();
}

/** The reply that a client gets. */
export type Reply =
  | { readonly kind: "whole"; readonly response: Response }
  /** The head and half of the body, then the connection is closed. */
  | { readonly kind: "cut"; readonly response: Response }
  | { readonly kind: "reset" };

/** Returns the first half of a response's body, and the length of the whole in bytes. */
export async function firstHalf(response: Response): Promise<[half: Uint8Array, length: number]> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [bytes.subarray(0, bytes.length >> 1), bytes.length];
}

interface FaultedRequest {
  /** Lets the world handle the request; at most once. */
  readonly pass: () => Promise<Response>;
  /** Handles the request in the world as it was that many changes ago; nothing is changed. */
  readonly past: (changes: number) => Promise<Response>;
}

/** Replies with a fault; a response alone is a whole one. */
type Perform<Kind extends FaultKind> = (
  fault: FaultOf<Kind>,
  /** With the response of the world where the fault has `commit`. */
  request: FaultedRequest & { readonly committed?: Response | undefined },
) => Reply | Response | Promise<Response>;

/** When the requests passed that count for a limit. */
const passed = new WeakMap<FaultOf<"rate-limit">, number[]>();

const PERFORM: { readonly [Kind in FaultKind]: Perform<Kind> } = {
  reset: () => ({ kind: "reset" }),
  status: ({ status, retryAfter, headers }) => {
    const detail = "The fault script sent this response, whether or not the request took effect.";
    const wait = retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` };
    return problem({ title: "Scripted fault", status, detail }, { ...wait, ...headers });
  },
  cut: (_, { committed }) => ({
    kind: "cut",
    // Without the world's response, some other body is cut.
    response: committed ?? Response.json({ id: "never" }, { status: 201 }),
  }),
  empty: ({ status }) => new Response(null, { status }),
  html: ({ status }) => {
    const page = "<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>";
    return new Response(page, { status, headers: { "content-type": "text/html; charset=utf-8" } });
  },
  "no-id": async (_, { pass }) => {
    const response = await pass();
    const record: unknown = await response.json().catch(() => ({}));
    const { id, ...rest } = (record ?? {}) as Record<string, unknown>;
    return Response.json(rest, { status: response.status });
  },
  slow: async ({ ms, late }, { pass }) => {
    if (late) await pause(ms);
    const response = await pass();
    if (!late) await pause(ms);
    return response;
  },
  "rate-limit": async (fault, { pass }) => {
    const { requests, seconds } = fault;
    const now = performance.now();
    const times = (passed.get(fault) ?? []).filter((time) => now - time < seconds * 1000);
    passed.set(fault, times);
    const [oldest = now] = times;
    if (times.length < requests) {
      times.push(now);
      return pass();
    }
    const detail = `The fault script lets ${requests} requests pass in ${seconds} s.`;
    const wait = Math.ceil((oldest + seconds * 1000 - now) / 1000);
    const headers = { "retry-after": `${Math.max(1, wait)}` };
    return problem({ title: "Too many requests", status: 429, detail }, headers);
  },
  stale: ({ changes }, { past }) => past(changes),
};

async function perform(fault: Fault, request: FaultedRequest): Promise<Reply | Response> {
  const act = PERFORM[fault.do] as Perform<FaultKind>;
  const committed = "commit" in fault && fault.commit ? await request.pass() : undefined;
  return act(fault, { ...request, committed });
}

function problem(
  document: { readonly title: string; readonly status: number; readonly detail: string },
  headers: Readonly<Record<string, string>>,
): Response {
  return Response.json(document, {
    status: document.status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}
