import { fullUrlRemedy, isLoopback, sandboxPortOf } from "../runtime/loopback.ts";
import { tried } from "../values/basics.ts";
import { accountErrors } from "./errors.ts";

/** The address of a service. */
export interface BaseUrl {
  /** The normalised URL: no trailing slash, host in lower case, no default port. */
  readonly href: string;
  /** The origin, to which a credential is bound. */
  readonly origin: string;
  /** Whether a path segment is a version such as `v1`, which the paths of all operations need. */
  readonly versioned: boolean;
}

/**
 * Reads the address of a service.
 * @param options.source its name in errors, for example `--base-url`
 * @throws {UsageError} for anything but an https URL, or an http URL of this machine, without user
 *   info, query and fragment
 */
export function parseBaseUrl(
  text: string,
  { allowInsecureHttp = false, source = "The base URL" } = {},
): BaseUrl {
  const typed = text.trim();
  const url = URL.parse(typed);
  // URL is lenient: it takes `https:host`, `https:\\host`, and drops tabs and line breaks.
  const plain = /^https?:\/\/[^/\\\s][^\\\s]*$/iu.test(typed);
  // Checked before the rest: a text with `user@` may be a secret as a whole, and is not shown.
  if (/^[^/]*\/\/[^/?#]*@/u.test(typed) || url?.username || url?.password) {
    throw accountErrors.base_url_user_info(source);
  }
  if (url === null || !plain) {
    throw accountErrors.base_url_not_full(
      source,
      fullUrlRemedy(typed, "https://api.example.com/v1"),
      typed.includes("@") ? undefined : JSON.stringify(text),
    );
  }
  if (/[?#]/u.test(typed)) throw accountErrors.base_url_query(source, baseOf(url));
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecureHttp) {
    throw accountErrors.base_url_not_encrypted(source, baseOf(url));
  }
  const versioned = url.pathname.split("/").some((segment) => /^v\d+$/u.test(segment));
  return { href: baseOf(url), origin: url.origin, versioned };
}

function baseOf(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}

/** The port of the sandbox that the base URL means, if it means one at an unusual port. */
export function sandboxPort(
  baseUrl: () => { readonly value: Pick<BaseUrl, "href"> },
): string | undefined {
  // Without a base URL, or with one that is refused where it is used, there is none.
  return tried(() => sandboxPortOf(new URL(baseUrl().value.href)));
}
