import { isLoopback } from "../../runtime/loopback.ts";
import { isUnsafe, type RequestInfo } from "./request-info.ts";

/** A redirect that is not followed, and why. */
export interface RefusedRedirect {
  readonly why: "nowhere" | "other-origin" | "not-encrypted" | "unsafe" | "too-many";
  /** Where it leads, as far as it may be shown: what is in a query may be a secret. */
  readonly to: string | undefined;
}

/** A redirect that is followed. */
export interface Hop {
  readonly method: string;
  readonly url: URL;
}

/** In a row; the next one is not followed. */
const MAX_REDIRECTS = 3;

/**
 * What to do with a redirect. It is followed only where the credential may go: to the origin that was
 * asked, over TLS or on this machine; and never for what cannot be done twice.
 * @param hops how many were followed already
 * @returns undefined for an answer that is none
 */
export function redirectOf(
  response: Response,
  { method, url: from }: Pick<Request, "method" | "url">,
  info: RequestInfo,
  hops: number,
): Hop | RefusedRedirect | undefined {
  const { status, headers } = response;
  if (status < 300 || status >= 400) return undefined;
  const url = new URL(from);
  const location = headers.get("location");
  const next = location === null ? null : URL.parse(location, url.href);
  if (!next) return { why: "nowhere", to: undefined };
  const refused = (why: RefusedRedirect["why"]): RefusedRedirect => ({
    why,
    to: shownAddress(next),
  });
  if (![301, 302, 303, 307, 308].includes(status)) return refused("nowhere");
  if (isUnsafe(info)) return refused("unsafe");
  if (next.origin !== url.origin) return refused("other-origin");
  if (next.protocol !== "https:" && !isLoopback(next.hostname)) return refused("not-encrypted");
  if (next.username !== "" || next.password !== "") return refused("other-origin");
  if (hops >= MAX_REDIRECTS) return refused("too-many");
  // As fetch does: "see other" is always looked at, all else is asked again as it was.
  return { method: status === 303 && method !== "HEAD" ? "GET" : method, url: next };
}

function shownAddress({ origin, pathname, search }: URL): string {
  return `${origin === "null" ? "another kind of address" : origin + pathname}${search && "?…"}`;
}
