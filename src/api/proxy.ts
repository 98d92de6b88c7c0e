import { UsageError } from "../errors.ts";
import { learnSecret } from "../secret.ts";
import { isExempt } from "./no-proxy.ts";

/** The proxy that a request goes through. */
export interface ProxyServer {
  /** With user name and password, where it has them: never shown. */
  readonly url: URL;
  /** For messages: `proxy.example.com:3128`. */
  readonly host: string;
  /** The variable that names it. */
  readonly variable: string;
}

/** The environment of a call. */
export type Environment = Readonly<Record<string, string | undefined>>;

const EXAMPLE = "http://proxy.example.com:3128";

/** Whether any proxy is named; which one, if at all, depends on the address. */
export function namesProxy(env: Environment): boolean {
  return ["http:", "https:"].some((protocol) => variableOf(env, protocol) !== undefined);
}

/**
 * The proxy that the environment names for an address, as curl reads it: lower case goes first, and
 * NO_PROXY excepts hosts.
 * @throws {UsageError} for one that is none, naming the variable, its user info masked
 */
export function proxyFor(url: URL, env: Environment): ProxyServer | undefined {
  const variable = variableOf(env, url.protocol);
  if (variable === undefined || isExempt(url, env.no_proxy || env.NO_PROXY || "")) return undefined;
  return readProxy(env[variable]?.trim() ?? "", variable, url.hostname);
}

function variableOf(env: Environment, protocol: string): string | undefined {
  const name = protocol === "https:" ? "https_proxy" : "http_proxy";
  return [name, name.toUpperCase()].find((one) => (env[one] ?? "").trim() !== "");
}

function readProxy(text: string, variable: string, target: string): ProxyServer {
  const remedy = `Name an HTTP proxy, such as ${EXAMPLE}, or reach ${target} without one: NO_PROXY=${target}`;
  const typed = /^[a-z][a-z\d+.-]*:\/\//iu.exec(text)?.[0];
  const scheme = typed?.slice(0, -3).toLowerCase() ?? "http";
  const facts = { remedy, done: "Nothing was sent." };
  if (scheme !== "http" && scheme !== "https") {
    throw new UsageError(`${variable} names a ${scheme} proxy, which amp cannot go through`, facts);
  }
  const url = URL.parse(typed === undefined ? `http://${text}` : text);
  if (!url?.hostname || /\s/u.test(text)) {
    const detail = JSON.stringify(text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/iu, "$1***@"));
    throw new UsageError(`${variable} is no address of a proxy`, { detail, ...facts });
  }
  if (!isEncoded(url.username) || !isEncoded(url.password)) {
    throw new UsageError(`${variable} holds a user name or password that is not percent-encoded`, {
      ...facts,
      remedy: "Write % as %25, @ as %40, : as %3A and / as %2F in them.",
    });
  }
  learnSecret(decodeURIComponent(url.password));
  const port = url.port || (scheme === "https" ? "443" : "80");
  return { url, host: `${url.hostname}:${port}`, variable };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
