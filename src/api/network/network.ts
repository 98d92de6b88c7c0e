import { fetchReportsDamage, fetchSupportsProxies } from "../../runtime/runtime.ts";
import { apiErrors } from "../errors.ts";
import { ProxyRefusal } from "./network-failure.ts";
import { namesProxy, type ProxyServer, type ProxyVariables, proxyFor } from "./proxy.ts";

/** A network for requests, with proxy and TLS options. */
export interface Network {
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * The proxy for a URL.
   * @throws {UsageError} if the environment names an invalid proxy
   */
  proxyFor(url: URL): ProxyServer | undefined;
}

/** The connection of one request. */
export interface ConnectionOptions {
  readonly proxy: ProxyServer | undefined;
  readonly checksCertificates: boolean;
}

interface NetworkOptions {
  readonly env: ProxyVariables;
  /** Whether any certificate is accepted. */
  readonly insecureTls: boolean;
}

type Fetch = (request: Request, way: ConnectionOptions) => Promise<Response>;

/**
 * Creates the network for the environment; `undefined` if the runtime's own fetch suffices: no
 * proxy, and certificates are checked.
 * @throws {UsageError} if an environment variable alone turns certificate checks off
 */
export async function createNetwork({
  env,
  insecureTls,
}: NetworkOptions): Promise<Network | undefined> {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0" && !insecureTls)
    throw apiErrors.certificates_unchecked();
  const isPlain = !namesProxy(env) && !insecureTls;
  if (isPlain && !fetchReportsDamage) return undefined;
  const send = await loadFetch();
  if (isPlain) {
    const way = { proxy: undefined, checksCertificates: true };
    return { proxyFor: () => undefined, fetch: (request) => send(request, way) };
  }
  const { isExcludedByNoProxy } = await import("./no-proxy.ts");
  const find = (url: URL) => proxyFor(url, env, isExcludedByNoProxy);
  const checksCertificates = !insecureTls;
  return {
    proxyFor: find,
    fetch: async (request) => {
      const url = new URL(request.url);
      const proxy = find(url);
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
  if (fetchSupportsProxies) return bunFetch;
  return (await import("./undici-fetch.ts")).undiciFetch;
}

/**
 * The fetch of Bun. It reads the same variables, but no address blocks in NO_PROXY, so it gets the
 * proxy from here. For a damaged body it would write a line of its own to stderr, so it does not
 * unpack any, and then does not ask for packed ones either.
 */
const bunFetch: Fetch = async (request, { proxy, checksCertificates }) => {
  const init: BunInit = {
    proxy: proxy?.url.href ?? false,
    ...(checksCertificates ? {} : { tls: { rejectUnauthorized: false } }),
    decompress: false,
  };
  if (!request.headers.has("accept-encoding")) request.headers.set("accept-encoding", CODINGS);
  const response = await globalThis.fetch(request, init);
  if (!response.headers.has("content-encoding")) return response;
  return (await import("./unpack.ts")).unpack(response);
};

/** The codings that `unpack.ts` reads, which is loaded with the first packed body. */
const CODINGS = "gzip, br";

interface BunInit extends RequestInit {
  readonly proxy: string | false;
  readonly decompress: false;
  readonly tls?: { readonly rejectUnauthorized: boolean };
}
