/** The header in which each answer of a sandbox names its world: its data since its start. */
export const WORLD_HEADER = "amp-sandbox-world";

/** The port of a sandbox that is started without options. */
export const SANDBOX_PORT = 4747;

/** The file that has the token of a running sandbox, for the commands of the same user. */
export function sandboxTokenFile(stateFolder: string, port: number | string): string {
  return `${stateFolder}/sandbox/${port}`;
}

/** Whether a URL's host name means this machine: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/u.test(hostname);
}

/**
 * The remedy for a text that is not a full URL: the URL that is meant, where only the scheme is
 * missing of a host and a path.
 */
export function fullUrlRemedy(typed: string, example: string): string {
  const isHost = /^(?:localhost|[^/@:\s]+\.[^/@:\s]+)(?::\d+)?(?:\/[^\s?#@\\]*)?$/u.test(typed);
  const host = isHost ? URL.parse(`http://${typed}`)?.hostname : undefined;
  if (host === undefined) return `Enter a full URL, for example ${example}`;
  return `Did you mean ${isLoopback(host) ? "http" : "https"}://${typed}?`;
}

/** The port with which a sandbox answers at a URL of this machine; undefined for the usual one. */
export function sandboxPortOf({ hostname, port }: Pick<URL, "hostname" | "port">) {
  const isUsual = port === "" || port === String(SANDBOX_PORT);
  return isUsual || !isLoopback(hostname) ? undefined : port;
}

/** Names that no public name server resolves: an address, `localhost`, one word, `.internal`. */
const LOCAL_NAME = /^(?:\[[\da-f:.]+\]|\d+(?:\.\d+){3}|[^.]+|.+\.(?:localhost|internal))$/iu;

/** Whether a URL's host name is one that a foreign web page cannot have. */
export function isLocalName(hostname: string): boolean {
  return LOCAL_NAME.test(hostname);
}
