import { isLoopback } from "../../runtime/loopback.ts";
import { isUnsafe, type RequestInfo } from "./request-info.ts";
import { isOfOtherProject } from "./url.ts";

/** A redirect that is not followed, with the reason. */
export interface RefusedRedirect {
  readonly why:
    | "nowhere"
    | "other-origin"
    | "other-project"
    | "not-encrypted"
    | "unsafe"
    | "other-record"
    | "too-many";
  /** The target without its query, which may hold a secret. */
  readonly to: string | undefined;
}

interface Hop {
  readonly method: string;
  readonly url: URL;
}

/** The maximum number of redirects in a row. */
const MAX_REDIRECTS = 3;

/**
 * The decision about a redirect. A redirect is followed only where the credential may go: to the
 * same origin, over TLS or on this machine; never to the path of another project, and never for a
 * request that must not be sent twice.
 * @param hops the number of redirects that were followed already
 * @returns undefined for an answer that is not a redirect
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
  if (isOfOtherProject(next, url)) return refused("other-project");
  if (method === "DELETE" && status !== 303 && idIn(next) !== idIn(url)) {
    return refused("other-record");
  }
  if (hops >= MAX_REDIRECTS) return refused("too-many");
  // The rules are those of fetch: 303 continues with GET, all others with the same method.
  return { method: status === 303 && method !== "HEAD" ? "GET" : method, url: next };
}

/** The last part of a path, which is the ID of what a delete is for. */
function idIn({ pathname }: URL): string | undefined {
  return pathname.replace(/\/+$/u, "").split("/").at(-1);
}

function shownAddress({ origin, pathname, search }: URL): string {
  return `${origin === "null" ? "a URL of another scheme" : origin + pathname}${search && "?…"}`;
}
