import { UsageError } from "../../errors.ts";
import { fetchTakesProxy } from "../../runtime/runtime.ts";
import {
  namesProxy,
  ProxyRefusal,
  type ProxyServer,
  type ProxyVariables,
  proxyFor,
} from "./proxy.ts";

/** A way for requests to leave this machine. */
export interface Network {
  readonly fetch: (request: Request) => Promise<Response>;
  /** @throws {UsageError} if the environment names an invalid proxy */
  proxyFor(url: URL): ProxyServer | undefined;
}

/** The connection of one request. */
export interface ConnectionOptions {
  readonly proxy: ProxyServer | undefined;
  /** False if any certificate is accepted. */
  readonly checksCertificates: boolean;
}

/** The options of a network. */
export interface NetworkOptions {
  readonly env: ProxyVariables;
  /** Accept any certificate. */
  readonly insecureTls: boolean;
}

type Fetch = (request: Request, way: ConnectionOptions) => Promise<Response>;

/**
 * Creates the network that the environment asks for; `undefined` if the runtime's own will do: no
 * proxy, and certificates are checked.
 * @throws {UsageError} if an environment variable alone turns certificate checks off
 */
export async function createNetwork({
  env,
  insecureTls,
}: NetworkOptions): Promise<Network | undefined> {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0" && !insecureTls) throw uncheckedError();
  if (!namesProxy(env) && !insecureTls) return undefined;
  const send = await loadFetch();
  const checksCertificates = !insecureTls;
  return {
    proxyFor: (url) => proxyFor(url, env),
    fetch: async (request) => {
      const url = new URL(request.url);
      const proxy = proxyFor(url, env);
      const response = await send(request, { proxy, checksCertificates });
      // For plain http a proxy answers like a server, but only a proxy answers 407.
      if (proxy && url.protocol === "http:" && response.status === 407) {
        await response.body?.cancel();
        throw new ProxyRefusal(407);
      }
      return response;
    },
  };
}

async function loadFetch(): Promise<Fetch> {
  if (fetchTakesProxy) return bunFetch;
  return (await import("./undici-fetch.ts")).undiciFetch;
}

/** Bun's `fetch` reads the same variables, but no address blocks in NO_PROXY: it gets the proxy here. */
const bunFetch: Fetch = (request, { proxy, checksCertificates }) => {
  const init: BunInit = {
    proxy: proxy?.url.href ?? false,
    ...(checksCertificates ? {} : { tls: { rejectUnauthorized: false } }),
  };
  return globalThis.fetch(request, init);
};

interface BunInit extends RequestInit {
  readonly proxy: string | false;
  readonly tls?: { readonly rejectUnauthorized: boolean };
}

function uncheckedError(): UsageError {
  return new UsageError("NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off", {
    detail: "Anyone on the network path could read the credential.",
    remedy:
      "Unset it. Name your own certificate authority with NODE_EXTRA_CA_CERTS=FILE, or pass --insecure-tls to skip the checks.",
    done: "Nothing was sent.",
  });
}
