import { REDACTED } from "../../secrets/secret.ts";
import { isJsonObject } from "../../values/json.ts";
import { metadataValues } from "../model/metadata.ts";
import type { LiveRecord } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import { fingerprint } from "../state/fingerprint.ts";

/**
 * The value without what a service may change: case and encoding of letters, and blanks around the
 * text.
 */
export function normalizedSpelling(value: unknown): string {
  return String(value).trim().normalize("NFC").toLowerCase();
}

/**
 * Whether a listed value may be the one that was sent, in the service's own spelling. What it does
 * not show, or hides, does not say the opposite.
 */
export function sameButSpelling(sent: unknown, listed: unknown): boolean {
  // A variable that is not set is a symbol, and may have any value.
  if (typeof sent === "symbol" || isUnshown(listed)) return true;
  return canonical(sent) === canonical(listed);
}

/** Whether a listed value says nothing: it is empty, or a mask in place of the value. */
function isUnshown(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (isJsonObject(value)) return Object.values(value).every(isUnshown);
  return typeof value === "string" && (value.includes(REDACTED) || MASK.test(value));
}

const MASK = /\*{3}|•{3}|…/u;

/**
 * A value of which the spelling is left out: of a URL the case of scheme and host, the default
 * port, the slash at its end and needless percent-encoding; of any other text the case, and blanks
 * around it. Another host, path or query is another value.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(canonical));
  if (isJsonObject(value)) {
    const parts = Object.entries(value).filter(([, part]) => !isUnshown(part));
    return JSON.stringify(parts.map(([key, part]) => [key, canonical(part)]).sort());
  }
  const text = String(value).trim();
  const url = text.includes("://") ? URL.parse(text) : null;
  return url === null ? text.toLowerCase() : canonicalUrl(url);
}

function canonicalUrl(url: URL): string {
  const { protocol, username, password, host, pathname, search, hash } = url;
  const user = `${username}:${password}@`;
  const path = pathname.replace(/\/$/u, "");
  return `${protocol}//${user}${host.toLowerCase()}${decoded(path)}${decoded(search)}${decoded(hash)}`;
}

/**
 * The text with each percent-encoding in capitals, and without those that mean the same as what
 * they encode.
 */
function decoded(text: string): string {
  const capitals = text.replaceAll(/%[\da-f]{2}/giu, (one) => one.toUpperCase());
  try {
    return decodeURI(capitals);
  } catch {
    // Not UTF-8: each byte is compared as it is.
    return capitals;
  }
}

type Fingerprints = Readonly<Record<string, string>>;

/**
 * The fingerprints of the values of a body, by their paths, without their spelling; undefined for a
 * route.
 */
export function sentValues(salt: string, { content }: Resource): Fingerprints | undefined {
  const values = metadataValues(content).filter(({ value }) => !isUnshown(value));
  if (values.length === 0) return undefined;
  return Object.fromEntries(values.map((one) => fingerprintOf(salt, one)));
}

/**
 * Whether a listed record has another value than a body that was sent, in a field that it shows.
 */
export function hasOtherValues(
  salt: string,
  sent: Fingerprints | undefined,
  record: LiveRecord,
): boolean {
  if (sent === undefined) return false;
  return metadataValues(record)
    .filter(({ value }) => !isUnshown(value))
    .map((one) => fingerprintOf(salt, one))
    .some(([path, found]) => Object.hasOwn(sent, path) && sent[path] !== found);
}

function fingerprintOf(
  salt: string,
  { path, value }: { readonly path: readonly string[]; readonly value: unknown },
): readonly [path: string, fingerprint: string] {
  const name = path.join(".");
  return [name, fingerprint(salt, { path: name, spelling: canonical(value) })];
}
