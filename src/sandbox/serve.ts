import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { type LocalServer, listenAt } from "../runtime/local-server.ts";
import { suggest } from "../values/suggested-command.ts";
import type { RequestLine } from "./app.ts";
import { SANDBOX_DEFAULTS } from "./defaults.ts";
import { problemResponse, Refusal } from "./problem.ts";
import { assertLocalClient } from "./request.ts";

/** A sandbox to serve; one with faults may break the connection of its response. */
export interface Served {
  fetch(request: Request, outgoing: ServerResponse): Promise<Response>;
}

/** Where a sandbox listens. */
export interface ServeOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Called for each request that is refused before it reaches the sandbox. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
}

/**
 * Serves a sandbox over HTTP. Port 0 selects a free one.
 * @returns the server, with the base URL that ends in `/v1`
 * @throws {ConflictError} where the port is in use
 * @throws {UsageError} where the address cannot be used
 */
export async function serveSandbox(
  sandbox: Served,
  { host = SANDBOX_DEFAULTS.host, port = SANDBOX_DEFAULTS.port, onRequest }: ServeOptions = {},
): Promise<LocalServer> {
  const server = createAdaptorServer({
    // Only HTTP/1.1 is served, so the response is of its kind.
    fetch: (request, { outgoing }) =>
      refuseForeign(request, host, onRequest) ?? sandbox.fetch(request, outgoing as ServerResponse),
    // The process may be a client, too: its Request and Response must remain Node's own.
    overrideGlobalObjects: false,
  });
  const served = await listenAt(server as Server, {
    host,
    port,
    name: "The sandbox",
    ...(port === SANDBOX_DEFAULTS.port && {
      remedy: "If a sandbox is running there, add --profile sandbox to use it.",
    }),
    elsewhere: suggest("sandbox start", [], { port: 0 }).asCorrection(),
  });
  return { ...served, url: `${served.url}/v1` };
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
