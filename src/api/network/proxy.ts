import { registerSecret } from "../../secrets/secret.ts";
import { tried } from "../../values/basics.ts";
import { apiErrors } from "../errors.ts";

/** The proxy that a request goes through. */
export interface ProxyServer {
  /** The URL, possibly with user name and password: never shown. */
  readonly url: URL;
  /** The host for messages: `proxy.example.com:3128`. */
  readonly host: string;
  /** The environment variable that names the proxy. */
  readonly variable: string;
}

/** The environment variables that may name a proxy. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

const EXAMPLE = "http://proxy.example.com:3128";

/** Whether the environment names any proxy; which one applies depends on the URL. */
export function namesProxy(env: ProxyVariables): boolean {
  return ["http:", "https:"].some((protocol) => variableOf(env, protocol) !== undefined);
}

/**
 * The proxy that the environment names for a URL, by curl's rules: lower case has precedence, and
 * NO_PROXY excludes hosts.
 * @param isExcluded the rule of NO_PROXY; few runs need it, and it takes long to load
 * @throws {UsageError} for an invalid proxy URL, naming the variable, its user info masked
 */
export function proxyFor(
  url: URL,
  env: ProxyVariables,
  isExcluded: (url: URL, noProxy: string) => boolean,
): ProxyServer | undefined {
  const variable = variableOf(env, url.protocol);
  if (variable === undefined || isExcluded(url, env.no_proxy || env.NO_PROXY || "")) {
    return undefined;
  }
  return readProxy(env[variable]?.trim() ?? "", variable, url.hostname);
}

function variableOf(env: ProxyVariables, protocol: string): string | undefined {
  const name = protocol === "https:" ? "https_proxy" : "http_proxy";
  return [name, name.toUpperCase()].find((one) => (env[one] ?? "").trim() !== "");
}

function readProxy(text: string, variable: string, target: string): ProxyServer {
  const remedy = `Set it to an HTTP proxy such as ${EXAMPLE}, or bypass it with NO_PROXY=${target}.`;
  const typed = /^[a-z][a-z\d+.-]*:\/\//iu.exec(text)?.[0];
  const scheme = typed?.slice(0, -3).toLowerCase() ?? "http";
  if (scheme !== "http" && scheme !== "https")
    throw apiErrors.proxy_scheme(variable, scheme, remedy);
  const url = URL.parse(typed === undefined ? `http://${text}` : text);
  if (!url?.hostname || /\s/u.test(text)) {
    const detail = JSON.stringify(text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/iu, "$1***@"));
    throw apiErrors.proxy_invalid(variable, detail, remedy);
  }
  if (!isEncoded(url.username) || !isEncoded(url.password))
    throw apiErrors.proxy_not_encoded(variable);
  registerSecret(decodeURIComponent(url.password));
  const port = url.port || (scheme === "https" ? "443" : "80");
  return { url, host: `${url.hostname}:${port}`, variable };
}

function isEncoded(text: string): boolean {
  return tried(() => decodeURIComponent(text)) !== undefined;
}
