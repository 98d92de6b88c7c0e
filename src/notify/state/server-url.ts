import { UsageError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";

/**
 * Reads the address of a state server.
 * @param source what errors call it, for example `AMP_STATE_LOCK_ADDRESS`
 * @throws {UsageError} for anything but an https URL, or an http URL of this machine, without user
 *   info
 */
export function serverUrl(text: string, source: string): URL {
  const url = /^https?:\/\/[^/\\\s]/iu.test(text) ? URL.parse(text) : null;
  // Not shown: what stands before the @ may be a secret.
  if (/^[^/]*\/\/[^/?#]*@/u.test(text)) {
    throw new UsageError(`${source} holds user info (what stands before the @)`, {
      remedy: "Set AMP_STATE_USERNAME and AMP_STATE_PASSWORD in place of it.",
    });
  }
  if (url === null) {
    throw new UsageError(`${source} is no address such as https://state.example.com/routing`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new UsageError(`${source} is not encrypted: ${shownUrl(url)}`, {
      detail: "A credential sent over http can be read on its way.",
      remedy: "Use https; http is for this machine alone.",
    });
  }
  url.hash = "";
  return url;
}

/** An address as messages show it: what is in a query may be a secret. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}
