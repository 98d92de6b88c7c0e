import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type ServerResponse,
} from "node:http";
import { type LocalServer, listenAt } from "../runtime/local-server.ts";
import { readWithin } from "../values/basics.ts";
import { sizeText } from "../values/counted.ts";
import { suggest } from "../values/suggested-command.ts";

/** A request as it came: the signature is over these bytes. */
export interface ReceivedRequest {
  /** Every header in its order, with the name as it was written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly time: Date;
}

/** The answer to the sender of a request. */
export interface SenderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, OutgoingHttpHeader>>;
  readonly body?: Uint8Array | string;
}

/** Where a receiver listens, and who decides about its requests. */
export interface ReceiverOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly now: () => Date;
  /** Decides about a whole request; several may be decided at once. */
  readonly handle: (request: ReceivedRequest) => Promise<SenderAnswer>;
  /** Called for a request that is refused before it was read whole. */
  readonly onRefused: (refusal: { readonly status: number; readonly reason: string }) => void;
  /** In milliseconds; a test shortens it. */
  readonly requestTimeoutMs?: number;
}

/** The platform sends up to 300 KB; what is larger than this is no message of it. */
export const MAX_REQUEST_BYTES = 2 ** 20;

/** The platform gives up after 15 s, so a request that takes longer to arrive is of no use. */
const REQUEST_MS = 15_000;

/**
 * Starts a server that hands over each POST with the bytes and headers as they came.
 * @throws {ConflictError} where the port is in use
 * @throws {UsageError} where the address cannot be used
 */
export async function startReceiver(options: ReceiverOptions): Promise<LocalServer> {
  const { host, port, requestTimeoutMs = REQUEST_MS } = options;
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      // Node looks for slow clients at this interval only.
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    },
    (request, response) => void answer(options, request, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const slow = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    const [status, reason] = slow
      ? [408, "the request took too long to arrive"]
      : [400, "the request is not valid HTTP"];
    // A client that is gone has sent nothing to speak of.
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    options.onRefused({ status, reason });
    socket.end(
      `HTTP/1.1 ${status} ${slow ? "Request Timeout" : "Bad Request"}\r\nconnection: close\r\n\r\n`,
    );
  });
  return listenAt(server, {
    host,
    port,
    name: "amp listen",
    elsewhere: suggest("listen", [], { port: 0 }).asCorrection(),
  });
}

async function answer(
  options: ReceiverOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number, reason: string) => {
    options.onRefused({ status, reason });
    // The rest of the request is not read, so its connection cannot be used again.
    send(response, { status, body: `${reason}\n`, headers: { connection: "close" } });
  };
  try {
    if (request.method !== "POST") {
      return send(response, {
        status: 405,
        headers: { allow: "POST" },
        body: "amp listen accepts only POST requests.\n",
      });
    }
    const body = await readBody(request);
    if (body === undefined) {
      return refuse(413, `the body has more than ${sizeText(MAX_REQUEST_BYTES)}`);
    }
    const time = options.now();
    send(response, await options.handle({ headers: headerPairs(request.rawHeaders), body, time }));
  } catch (error) {
    // The sender went away, or the request could not be decided about.
    if (response.headersSent || !request.complete) response.destroy();
    else refuse(500, error instanceof Error ? error.message : String(error));
  }
}

/** The whole body; undefined where it is too large, whatever its length claims. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_REQUEST_BYTES) return undefined;
  return readWithin(request, MAX_REQUEST_BYTES);
}

function send(response: ServerResponse, { status, headers = {}, body = "" }: SenderAnswer): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, {
    ...(typeof body === "string" && bytes.length > 0
      ? { "content-type": "text/plain; charset=utf-8" }
      : {}),
    ...headers,
    ...(hasBody ? { "content-length": bytes.length } : {}),
  });
  response.end(hasBody ? bytes : undefined);
}

/** The headers from Node's flat list of names and values. */
function headerPairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : [],
  );
}
