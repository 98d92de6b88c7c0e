import { UsageError } from "../errors.ts";
import { fullUrlRemedy, isLoopback, sandboxPortOf } from "../runtime/loopback.ts";
import { suggest } from "../values/suggested-command.ts";

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
    throw new UsageError(`${source} must not contain a user name or password`, {
      remedy: "Remove the user name and password from the URL.",
      suggestion: suggest("auth login"),
    });
  }
  if (url === null || !plain) {
    throw new UsageError(`${source} is not a full URL`, {
      remedy: fullUrlRemedy(typed, "https://api.example.com/v1"),
      ...(typed.includes("@") ? {} : { detail: JSON.stringify(text) }),
    });
  }
  if (/[?#]/u.test(typed)) {
    throw new UsageError(`${source} must not contain a query or fragment (? or #)`, {
      remedy: `Use ${baseOf(url)}`,
    });
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecureHttp) {
    throw new UsageError(`${source} is not encrypted: ${baseOf(url)}`, {
      detail: "Anyone on the network path can read a credential that is sent over http.",
      remedy: "Use https, or add --allow-insecure-http.",
    });
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
  try {
    return sandboxPortOf(new URL(baseUrl().value.href));
  } catch {
    // Without a base URL, or with one that is refused where it is used.
    return undefined;
  }
}
