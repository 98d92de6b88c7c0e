import {
  Agent,
  type buildConnector,
  type Dispatcher,
  Pool,
  ProxyAgent,
  fetch as undiciFetchOf,
} from "undici";
import type { ConnectionOptions } from "./network.ts";

/**
 * Sends a request through a proxy, or without certificate checks, by the package undici: the fetch
 * in Node accepts no agent that fits all versions. It publishes on the same diagnostics channels.
 */
export async function undiciFetch(request: Request, way: ConnectionOptions): Promise<Response> {
  const { url, method, headers, signal, redirect, body } = request;
  const response = await undiciFetchOf(url, {
    method,
    // Node's classes differ from the package's own; and a stream would have no content-length.
    headers: [...headers],
    body: body === null ? null : new Uint8Array(await request.arrayBuffer()),
    signal,
    redirect,
    dispatcher: agentFor(way),
  });
  // The class has the same source as that of Node itself.
  return response as unknown as Response;
}

/** The agents by their options: an agent keeps its connections. */
const agents = new Map<string, Dispatcher>();

function agentFor(way: ConnectionOptions): Dispatcher {
  const key = `${way.checksCertificates} ${way.proxy?.url.href ?? ""}`;
  const made = agents.get(key) ?? createAgent(way);
  agents.set(key, made);
  return made;
}

/** The login as a header, because undici ignores a password without a user name. */
function loginOf({ username, password }: URL): { readonly token?: string } {
  if (username === "" && password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { token: `Basic ${Buffer.from(login).toString("base64")}` };
}

/** In HTTP/2 requests would share a connection, and wait for one before undici reports them. */
const HTTP_1 = { allowH2: false };

function createAgent({
  proxy,
  checksCertificates: rejectUnauthorized,
}: ConnectionOptions): Dispatcher {
  const tls = { ...HTTP_1, rejectUnauthorized };
  if (proxy === undefined) return new Agent({ ...HTTP_1, connect: tls });
  return new ProxyAgent({
    ...HTTP_1,
    uri: proxy.url.href,
    ...loginOf(proxy.url),
    // Plain http is forwarded without a tunnel: many proxies tunnel only to port 443.
    proxyTunnel: false,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: withoutAddressAsName,
    factory: withoutAddressAsName,
  });
}

/**
 * The connections of a proxy agent. It names also an IP address as the TLS server, which Node 26
 * refuses; its connector names the host, unless that is an address.
 */
function withoutAddressAsName(origin: string | URL, options: object): Dispatcher {
  const { connect } = options as { connect: buildConnector.connector };
  return new Pool(origin, {
    ...options,
    ...HTTP_1,
    connect: ({ servername: _, ...to }, done) => connect(to, done),
  });
}
