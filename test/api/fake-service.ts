import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createClient } from "../../src/api/client/client.ts";
import type { ClientOptions, RequestNote, RetryNote } from "../../src/api/client/policy.ts";
import type { Api } from "../../src/api/operations/endpoint.ts";

/** A client, what it sent and what it told. */
export interface Fake {
  readonly api: Api;
  readonly requests: Request[];
  readonly bodies: string[];
  readonly notes: RequestNote[];
  readonly retries: RetryNote[];
}

/** What answers a request, or throws as `fetch` does. */
export type Reply = (request: Request, nth: number) => Response | Promise<Response>;

const SECRET = "sk-secret-0123456789";

/** A client without waits between retries, the random part of a wait being nothing. */
export function fake(reply: Reply | undefined, more: Partial<ClientOptions> = {}): Fake {
  const requests: Request[] = [];
  const bodies: string[] = [];
  const notes: RequestNote[] = [];
  const retries: RetryNote[] = [];
  const options: ClientOptions = {
    baseUrl: "https://api.example.com/v1",
    credential: { kind: "api-key", secret: SECRET },
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    userAgent: "amp/test",
    random: () => 0,
    uuid: () => "amp-1",
    now: () => new Date("2026-01-02T03:04:05Z"),
    onRequest: (note) => notes.push(note),
    onRetry: (note) => retries.push(note),
    ...more,
  };
  const fetch = async (request: Request) => {
    requests.push(request);
    bodies.push(await request.clone().text());
    return reply?.(request, requests.length) ?? Response.error();
  };
  const api = createClient(reply ? { ...options, fetch } : options);
  return { api, requests, bodies, notes, retries };
}

/** What `fetch` throws for a system error. */
export function networkError(code: string, more: object = {}): TypeError {
  return new TypeError("fetch failed", {
    cause: Object.assign(new Error(`it was ${code}`), { code, ...more }),
  });
}

/** A problem document as an answer. */
export function problem(status: number, body: object = {}, headers: Record<string, string> = {}) {
  return new Response(JSON.stringify({ status, ...body }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

/** A real server on this machine, for what only a wire can do. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void,
): Promise<{ readonly baseUrl: string; readonly served: () => number }> {
  let served = 0;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    served += 1;
    answer(request, response, served);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, served: () => served };
}
