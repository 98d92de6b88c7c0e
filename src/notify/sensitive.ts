import type { Metadata } from "./metadata.ts";

/**
 * Whether a value of the metadata opens something: a Slack URL is a credential as a whole, headers
 * often carry one, and so may the user info of an address.
 */
export function isSensitive(type: string, path: readonly string[], value: unknown): boolean {
  if (type === "slack" && path[0] === "url") return true;
  if (path[0] === "headers") return true;
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && (url.username !== "" || url.password !== "");
}

/** Where a destination delivers to, fit for the screen: of a URL only as much as is no secret. */
export function whereTo(metadata: Metadata, names: readonly string[]): string | undefined {
  const told = names.map((name) => (Object.hasOwn(metadata, name) ? metadata[name] : undefined));
  const first = told.find((value) => typeof value === "string");
  return first === undefined ? undefined : masked(first as string);
}

/** Of an address as much as is no secret; another text as it is. */
export function masked(value: string): string {
  const url = value.includes("://") ? URL.parse(value) : null;
  if (url === null) return value;
  const hidden = url.pathname.length > 1 || url.search !== "";
  return `${url.protocol}//${url.host}${hidden ? "/…" : ""}`;
}
