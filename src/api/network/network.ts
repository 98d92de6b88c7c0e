import { UsageError } from "../../errors.ts";
import { fetchTakesProxy } from "../../runtime/runtime.ts";
import {
  namesProxy,
  ProxyRefusal,
  type ProxyServer,
  type ProxyVariables,
  proxyFor,
} from "./proxy.ts";

/** How requests leave this machine. */
export interface Network {
  readonly fetch: (request: Request) => Promise<Response>;
  /** @throws {UsageError} where the environment names one that is none */
  proxyFor(url: URL): ProxyServer | undefined;
}

/** How one request goes. */
export interface ConnectionOptions {
  readonly proxy: ProxyServer | undefined;
  /** False where any is taken. */
  readonly checksCertificates: boolean;
}

/** What the network is made of. */
export interface NetworkOptions {
  readonly env: ProxyVariables;
  /** Take any certificate. */
  readonly insecureTls: boolean;
}

type Fetch = (request: Request, way: ConnectionOptions) => Promise<Response>;

/**
 * The network that the environment asks for; undefined where it is the runtime's own: without a
 * proxy, and with certificates checked.
 * @throws {UsageError} where the environment alone would have certificates not checked
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
      // To what goes unencrypted the proxy answers like a server; no other says 407.
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

/** Bun's `fetch` reads the same variables, but knows no blocks in NO_PROXY: it is told each time. */
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
  return new UsageError("NODE_TLS_REJECT_UNAUTHORIZED=0 would have no certificate checked", {
    detail: "Anybody on the way could read the credential.",
    remedy:
      "Take it out of the environment. A certificate authority of your own is named by NODE_EXTRA_CA_CERTS=FILE; --insecure-tls goes without any check.",
    done: "Nothing was sent.",
  });
}
