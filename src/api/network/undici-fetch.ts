import { Agent, type Dispatcher, ProxyAgent, fetch as undiciFetchOf } from "undici";
import type { ConnectionOptions } from "./network.ts";

/**
 * Sends a request through a proxy, or without a check of certificates, by undici, whose part in Node
 * takes no agent that fits all Nodes alike. It publishes on the same diagnostics channels.
 */
export async function undiciFetch(request: Request, way: ConnectionOptions): Promise<Response> {
  const { url, method, headers, signal, redirect, body } = request;
  const response = await undiciFetchOf(url, {
    method,
    // Of another class than undici's own, and a stream has no length to announce.
    headers: [...headers],
    body: body === null ? null : new Uint8Array(await request.arrayBuffer()),
    signal,
    redirect,
    dispatcher: agentFor(way),
  });
  // The same class, by the same source, as that of Node itself.
  return response as unknown as Response;
}

/** By what they were made for: an agent keeps its connections. */
const agents = new Map<string, Dispatcher>();

function agentFor(way: ConnectionOptions): Dispatcher {
  const key = `${way.checksCertificates} ${way.proxy?.url.href ?? ""}`;
  const made = agents.get(key) ?? createAgent(way);
  agents.set(key, made);
  return made;
}

/** Said out loud: of a user name without a password, which may be a token, undici sends nothing. */
function loginOf({ username, password }: URL): { readonly token?: string } {
  if (username === "" && password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { token: `Basic ${Buffer.from(login).toString("base64")}` };
}

function createAgent({
  proxy,
  checksCertificates: rejectUnauthorized,
}: ConnectionOptions): Dispatcher {
  if (proxy === undefined) return new Agent({ connect: { rejectUnauthorized } });
  return new ProxyAgent({
    uri: proxy.url.href,
    ...loginOf(proxy.url),
    // Plain http is passed on as every proxy knows it; many refuse a tunnel to other ports than 443.
    proxyTunnel: false,
    requestTls: { rejectUnauthorized },
    proxyTls: { rejectUnauthorized },
  });
}
