import { tried, UUID } from "../../values/basics.ts";
import { apiErrors } from "../errors.ts";

/** The labels of the names in path templates. */
const PARAMETER_LABELS: Readonly<Record<string, string>> = {
  projectIdOrName: "project",
  integrationId: "integration ID",
  provider: "provider",
  orgId: "organisation",
  inviteId: "invite ID",
  destinationId: "destination ID",
  topicId: "topic ID",
  routeId: "route ID",
};

/**
 * Fills a path template, each value percent-encoded as one segment.
 * @throws {UsageError} for a value that cannot be a segment: empty, `.` or `..` (they would change
 * the path even when encoded), or half of a surrogate pair
 */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeURIComponent(pathSegment(name, Object.hasOwn(values, name) ? values[name] : "")),
  );
}

/**
 * The full URL of a path that is relative to the base URL; the base URL's own path is kept, and a
 * slash at its end makes no difference. A full URL is taken as it is if it has the same origin.
 * @throws {UsageError} for an invalid base URL, for a path that leads out of it, and for the URL of
 *   another origin, which must not receive the credential
 */
export function resolveUrl(
  base: string,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): URL {
  const root = URL.parse(base);
  if (!root) throw apiErrors.url_invalid(base);
  const prefix = `${root.origin}${root.pathname.replace(/\/+$/u, "")}/`;
  const isFull = /^[a-z][a-z0-9+.-]*:\/\//iu.test(path);
  const url = URL.parse(isFull ? path : prefix + path.replace(/^\/+/u, ""));
  // Dots in a typed path may lead out of the base URL.
  const isBelow = isFull ? url?.origin === root.origin : url?.href.startsWith(prefix);
  if (!url || !isBelow || url.username !== "" || url.password !== "") {
    // A full URL is not repeated: it may contain a password.
    throw isFull ? apiErrors.url_of_another_origin(root.origin) : apiErrors.path_not_below(path);
  }
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, wellFormed("query", name, value));
  }
  return url;
}

/** The project of a URL's path, decoded; undefined for one that has none. */
export function projectInPath({ pathname }: URL): string | undefined {
  const [, segment] = /\/projects\/([^/]+)(?:\/|$)/u.exec(pathname) ?? [];
  return segment === undefined ? undefined : (tried(() => decodeURIComponent(segment)) ?? segment);
}

/**
 * Whether a URL has the path of another project: what that has would be taken for this one's. A
 * service may answer a request by a project's name with addresses by its ID, so only two IDs, or
 * two names, can be told apart.
 */
export function isOfOtherProject(next: URL, url: URL): boolean {
  const [project, asked] = [projectInPath(next), projectInPath(url)];
  if (asked === undefined || project === undefined || project === asked) return false;
  return UUID.test(project) === UUID.test(asked);
}

function pathSegment(name: string, value = ""): string {
  if (value.trim() === "") throw invalidParameter("path", name, value, "is empty");
  if (value === "." || value === "..") {
    throw invalidParameter("path", name, value, `cannot be ${JSON.stringify(value)}`);
  }
  return wellFormed("path", name, value);
}

function wellFormed(place: string, name: string, value: string): string {
  if (!value.isWellFormed()) throw invalidParameter(place, name, value, "contains invalid Unicode");
  return value;
}

function invalidParameter(place: string, name: string, value: string, detail: string) {
  return apiErrors.parameter_invalid(PARAMETER_LABELS[name] ?? name, place, name, value, detail);
}
