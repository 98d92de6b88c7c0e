import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Identity } from "./certificates.ts";

/** A service that lists nothing, and creates whatever it is asked to. */
export interface Service {
  readonly port: number;
  /** Method and path of each request, in turn. */
  readonly asked: string[];
  /** The other end of the connection of each. */
  readonly from: { readonly method: string | undefined; readonly port: number | undefined }[];
}

/** What it does beyond that. */
export interface Manners {
  /** Speaks TLS, as this one. */
  readonly as?: Identity;
  /** In place of an answer. */
  readonly instead?: (request: IncomingMessage) => void;
}

/** Starts one; it goes with the test. */
export async function startService({ as, instead }: Manners = {}): Promise<Service> {
  const asked: Service["asked"] = [];
  const from: Service["from"] = [];
  // It answers in HTTP/2 whoever offers that, and then understands nothing.
  const ALPNProtocols = ["h2", "http/1.1"];
  const server =
    as === undefined ? createHttpServer() : createHttpsServer({ ...as, ALPNProtocols });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.on("error", () => {})));
  server.on("request", (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    from.push({ method: request.method, port: request.socket.remotePort });
    request.resume().on("end", () => {
      if (instead !== undefined) return instead(request);
      const isList = request.method === "GET";
      response.writeHead(isList ? 200 : 201, { "content-type": "application/json" });
      response.end(isList ? "[]" : '{"id":"t1","name":"incidents"}');
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked, from };
}
