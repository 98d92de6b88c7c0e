import { UsageError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";

/** Where a service is. */
export interface BaseUrl {
  /** Normalised: no trailing slash, host in lower case, no default port. */
  readonly href: string;
  /** What a credential is bound to. */
  readonly origin: string;
}

/** How a base URL is read, and what errors call it, for example `--base-url`. */
export interface BaseUrlOptions {
  readonly allowInsecureHttp?: boolean;
  readonly source?: string;
}

/**
 * Reads the address of a service.
 * @throws {UsageError} for anything but an https URL, or an http URL of this machine, without user
 *   info, query and fragment
 */
export function parseBaseUrl(text: string, options: BaseUrlOptions = {}): BaseUrl {
  const { allowInsecureHttp = false, source = "The base URL" } = options;
  const typed = text.trim();
  const url = URL.parse(typed);
  // URL is lenient: it takes `https:host`, `https:\\host`, and drops tabs and line breaks.
  const plain = /^https?:\/\/[^/\\\s][^\\\s]*$/iu.test(typed);
  // Looked for in the text first: with `user@` the whole of it may be a secret, not to be shown.
  if (/^[^/]*\/\/[^/?#]*@/u.test(typed) || url?.username || url?.password) {
    throw new UsageError(`${source} holds user info (what stands before the @)`, {
      remedy: "Give the address without it; log in with: amp auth login",
    });
  }
  if (url === null || !plain) {
    throw new UsageError(`${source} is no address such as https://api.example.com/v1`, {
      ...(typed.includes("@") ? {} : { detail: JSON.stringify(text) }),
    });
  }
  if (/[?#]/u.test(typed)) {
    throw new UsageError(`${source} holds a query or fragment (? or #)`, {
      remedy: `Give it as ${baseOf(url)}`,
    });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecureHttp) {
    throw new UsageError(`${source} is not encrypted: ${baseOf(url)}`, {
      detail: "A credential sent over http can be read on its way.",
      remedy: "Use https, or --allow-insecure-http if you must.",
    });
  }
  return { href: baseOf(url), origin: url.origin };
}

/** Whether a path segment names a version (`/v1`), without which no operation is found. */
export function hasVersion(href: string): boolean {
  const path = URL.parse(href)?.pathname ?? "";
  return path.split("/").some((segment) => /^v\d+$/u.test(segment));
}

function baseOf(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}
