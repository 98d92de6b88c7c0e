import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A request as a server of a test sees it, read to its end. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What it answers. */
export interface ServerReply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What goes wrong with one request: the connection ends before or after the work was done, the answer
 * never comes although it was done, or late, or a status is answered in place of doing it.
 */
export type ServerFault = "before" | "after" | "silent" | { readonly lateMs: number } | number;

/** The faults of the first requests of a method, and of no other request. */
export function faultsOf(
  { method, suffix = "" }: { readonly method: string; readonly suffix?: string },
  ...faults: readonly ServerFault[]
): (request: ReceivedRequest) => ServerFault | undefined {
  const left = [...faults];
  return (request) =>
    request.method === method && request.url.pathname.endsWith(suffix) ? left.shift() : undefined;
}

/** A server on loopback. */
export interface TestServer {
  readonly origin: string;
  readonly asked: ReceivedRequest[];
  /** Called for each request; undefined: nothing goes wrong. */
  fault: (asked: ReceivedRequest) => ServerFault | undefined;
  close(): Promise<void>;
}

/** Starts one. */
export async function startServer(
  answer: (asked: ReceivedRequest) => ServerReply,
): Promise<TestServer> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "/", headers } = request;
    const body = Buffer.concat(chunks).toString("utf8");
    const asked = { method, url: new URL(url, listening.origin), headers, body };
    listening.asked.push(asked);
    const fault = listening.fault(asked);
    if (fault === "before") return request.socket.destroy();
    const reply = typeof fault === "number" ? { status: fault } : answer(asked);
    if (fault === "after") return request.socket.destroy();
    if (fault === "silent") return;
    if (typeof fault === "object") await pause(fault.lateMs);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const listening: TestServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    fault: () => undefined,
    close: () => closed(server),
  };
  return listening;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
