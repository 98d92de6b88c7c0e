import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { ConflictError, UsageError } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";
import type { RequestLine } from "./app.ts";
import { SANDBOX_DEFAULTS } from "./defaults.ts";
import { problemResponse, Refusal } from "./problem.ts";
import { assertLocalClient } from "./request.ts";

/** A sandbox to serve; one with faults may break the connection of its response. */
export interface Served {
  fetch(request: Request, outgoing: ServerResponse): Promise<Response>;
}

/** A sandbox that listens. */
export interface ServedSandbox {
  /** The base URL, ending in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Refuses new requests, finishes those in progress, and resolves when all is closed. */
  close(): Promise<void>;
}

/** Where a sandbox listens. */
export interface ServeOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Called for each request that is refused before it reaches the sandbox. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
}

/** The time for requests in progress to finish, in milliseconds. */
const CLOSE_GRACE_MS = 2000;

/**
 * Serves a sandbox over HTTP. Port 0 selects a free one.
 * @throws {ConflictError} where the port is in use
 * @throws {UsageError} where the address cannot be used
 */
export async function serveSandbox(
  sandbox: Served,
  { host = SANDBOX_DEFAULTS.host, port = SANDBOX_DEFAULTS.port, onRequest }: ServeOptions = {},
): Promise<ServedSandbox> {
  const server = createAdaptorServer({
    // Only HTTP/1.1 is served, so the response is of its kind.
    fetch: (request, { outgoing }) =>
      refuseForeign(request, host, onRequest) ?? sandbox.fetch(request, outgoing as ServerResponse),
    // The process may be a client, too: its Request and Response must remain Node's own.
    overrideGlobalObjects: false,
  });
  server.listen(port, host);
  await once(server, "listening").catch((error) => {
    throw listenError(error, host, port);
  });
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://${hostInUrl(host)}:${bound}/v1`, port: bound, close: () => close(server) };
}

/** The refusal of a request that a web page sent; undefined for any other. */
function refuseForeign(
  { headers, method, url }: Request,
  host: string,
  onRequest: ServeOptions["onRequest"],
): Response | undefined {
  const start = performance.now();
  try {
    assertLocalClient(headers, host);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { pathname, search } = new URL(url);
    const request = { requestId: randomUUID(), method, path: pathname + search };
    const response = problemResponse(error, { ...request, time: new Date(), subsystem: "api" });
    onRequest?.({ ...request, status: response.status, ms: performance.now() - start });
    return response;
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === "EADDRINUSE") {
    // The port after it is that of amp listen.
    const free = port < 65_534 ? port + 2 : port - 2;
    return new ConflictError(`Port ${port} on ${host} is already in use`, {
      suggestion: suggest("sandbox start", [], { port: free }),
    });
  }
  return new UsageError(`The sandbox cannot listen on ${host} port ${port}: ${error.message}`);
}

/** The host that a client on this machine uses in a URL. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

async function close(server: ServerType): Promise<void> {
  const force = setTimeout(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
  }, CLOSE_GRACE_MS);
  await promisify(server.close.bind(server))().finally(() => clearTimeout(force));
}
