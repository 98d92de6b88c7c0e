import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { inputErrors } from "../values/errors.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";

/** Where a server of amp's own listens. */
interface LocalAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The same command with any free port, where this one is in use. */
  readonly elsewhere: SuggestedCommand;
  /** What else can be done where the port is in use. */
  readonly remedy?: string;
  /** The name of the server, which begins an error: "The sandbox". */
  readonly name: string;
}

/** A server of this machine that listens. */
export interface LocalServer {
  /** The URL that a program on this machine uses, without a path. */
  readonly url: string;
  readonly port: number;
  /** Takes no new connection, lets answers end, and resolves when all is closed. */
  close(): Promise<void>;
}

/** The time for answers that are under way when a server closes, in milliseconds. */
const CLOSE_GRACE_MS = 2_000;

/**
 * Lets a server listen.
 * @throws {ConflictError} where the port is in use
 * @throws {UsageError} where the address cannot be used
 */
export async function listenAt(
  server: Server,
  { host, port, elsewhere, remedy, name }: LocalAddress,
): Promise<LocalServer> {
  server.listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") {
      throw inputErrors.address_unusable(name, host, port, error.message);
    }
    throw inputErrors.port_in_use(port, host, elsewhere, remedy);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${hostInUrl(host)}:${bound}`,
    port: bound,
    close: () => close(server, CLOSE_GRACE_MS),
  };
}

/** Lets a server of one command listen on a free port, for this machine alone. */
export async function listenHere(server: Server): Promise<Pick<LocalServer, "url" | "close">> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => close(server, 0) };
}

/** The host that a program on this machine uses in a URL. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = promisify(server.close.bind(server))();
  // A connection that is kept alive becomes idle with its last answer.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed.finally(() => {
    clearInterval(idle);
    clearTimeout(force);
  });
}
