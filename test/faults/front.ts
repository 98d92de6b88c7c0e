import { randomUUID } from "node:crypto";
import type { World } from "../../src/sandbox/world.ts";
import { createSandbox } from "../platform.ts";
import { CREATES } from "./routing.ts";

/** What a front works with. */
export interface Behind {
  /** Has the service answer this request, or the one that came. */
  pass(request?: Request): Promise<Response>;
  /** The service as it was that many milliseconds ago. */
  past(ms: number): World;
  /** All that it was, the latest last. */
  readonly worlds: readonly { readonly world: World }[];
  /** Breaks the connection. */
  reset(): Response;
}

/** Stands before a service, and makes it one that behaves in a way of its own. */
export type Front = (request: Request, behind: Behind) => Promise<Response>;

/** The service with its past. */
export interface History extends Pick<Behind, "past" | "worlds"> {
  note(world: World): void;
}

/** Remembers a service, from its first world on. */
export function historyOf(first: World): History {
  const worlds = [{ at: 0, world: first }];
  return {
    worlds,
    note: (world) => worlds.push({ at: performance.now(), world }),
    past: (ms) => {
      const then = performance.now() - ms;
      return worlds.findLast(({ at }) => at <= then)?.world ?? first;
    },
  };
}

type Listed = Record<string, unknown>;

const LISTS = new Set<string>(CREATES.map(([path]) => path));

function listOf({ method, url }: Request): string | undefined {
  const name = new URL(url).pathname.split("/").at(-1) ?? "";
  return method === "GET" && LISTS.has(name) ? name : undefined;
}

/** Lists show everything that much later. */
export function laggingLists(ms: number): Front {
  return async (request, { pass, past }) => {
    const response = await pass();
    if (listOf(request) === undefined || !response.ok) return response;
    const { url, headers } = request;
    return createSandbox({ state: past(ms) }).fetch(new Request(url, { headers }));
  };
}

/** Lists show nothing new until one of them is read for the nth time, or that many milliseconds passed. */
export function listsBehindUntil(path: string, nth: number, ms: number): Front {
  const from = performance.now();
  let looks = 0;
  return async (request, { pass, worlds }) => {
    const response = await pass();
    const list = listOf(request);
    if (list === undefined || !response.ok) return response;
    if (list === path) looks += 1;
    const [first] = worlds;
    if (looks >= nth || performance.now() - from > ms || first === undefined) return response;
    const { url, headers } = request;
    return createSandbox({ state: first.world }).fetch(new Request(url, { headers }));
  };
}

/** The clock of the service is ahead by some milliseconds, told anew for each answer. */
export function datesAhead(ms: () => number, front: Front): Front {
  return async (request, behind) => {
    const { body, status, headers } = await front(request, behind);
    const dated = new Headers(headers);
    dated.set("date", new Date(Date.now() + ms()).toUTCString());
    return new Response(body, { status, headers: dated });
  };
}

/** Records, listed or answered to a create, are told otherwise than they were sent. */
export function retelling(retell: (record: Listed) => Listed): Front {
  return async (request, { pass }) => {
    const response = await pass();
    if (!response.ok || !(listOf(request) || request.method === "POST")) return response;
    const body = (await response.json()) as Listed | Listed[];
    const told = Array.isArray(body) ? body.map(retell) : retell(body);
    return Response.json(told, { status: response.status });
  };
}

/** Lists come in pages of one record, each of which names the next. */
export function inPages(kind: "link" | "token"): Front {
  return async (request, { pass }) => {
    if (listOf(request) === undefined) return pass();
    const url = new URL(request.url);
    const name = kind === "link" ? "page" : "pageToken";
    const at = Number(url.searchParams.get(name) ?? 0);
    url.searchParams.delete(name);
    const response = await pass(new Request(url, request));
    if (!response.ok) return response;
    const all = (await response.json()) as Listed[];
    const page = all.slice(at, at + 1);
    const done = at + 1 >= all.length;
    if (kind === "token") {
      const pagination = { done, ...(done ? {} : { nextPageToken: `${at + 1}` }) };
      return Response.json({ results: page, pagination });
    }
    url.searchParams.set(name, `${at + 1}`);
    return Response.json(page, { headers: done ? {} : { link: `<${url}>; rel="next"` } });
  };
}

/** Of a kind of records, one create is answered as if it were done, and is not. */
export function droppingCreate(path: string, nth: number): Front {
  let seen = 0;
  return async (request, { pass }) => {
    const isOurs = request.method === "POST" && new URL(request.url).pathname.endsWith(`/${path}`);
    if (isOurs) seen += 1;
    if (!isOurs || seen !== nth) return pass();
    return Response.json(
      { ...((await request.json()) as Listed), id: randomUUID() },
      { status: 201 },
    );
  };
}

/** What a create is answered with, in place of being done. */
type Answer = (facts: {
  readonly sent: Listed;
  /** The records that earlier creates of the kind were answered with. */
  readonly seen: readonly Listed[];
}) => Listed | undefined;

/** Of a kind of records, one create is answered with another record, and not done. */
export function answering(path: string, nth: number, answer: Answer): Front {
  const seen: Listed[] = [];
  let creates = 0;
  return async (request, { pass }) => {
    const isOurs = request.method === "POST" && new URL(request.url).pathname.endsWith(`/${path}`);
    if (!isOurs) return pass();
    creates += 1;
    if (creates === nth) {
      const sent = (await request.json()) as Listed;
      return Response.json(answer({ sent, seen }), { status: 201 });
    }
    const response = await pass();
    if (response.ok) seen.push((await response.clone().json()) as Listed);
    return response;
  };
}
