import { createHmac } from "node:crypto";
import { REDACTED, Secret } from "../../secrets/secret.ts";
import { isJsonObject } from "../../values/json.ts";

/** Characters that a service shows in place of a value. */
const MASK = /\*{3}|•{3}|…/u;

/** Whether a listed value, or a part of it, is a mask in place of the value. */
export function isHidden(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isHidden);
  if (isJsonObject(value)) return Object.values(value).some(isHidden);
  return typeof value === "string" && (value.includes(REDACTED) || MASK.test(value));
}

/** Whether a value is empty: a service may leave such a field out, or send null for it. */
function isNothing(value: unknown): boolean {
  // All that can be listed of a secret is its reference, which it may not have.
  if (value instanceof Secret) return false;
  if (isJsonObject(value)) return Object.values(value).every(isNothing);
  return value === undefined || value === null;
}

/**
 * A value as a text without its spelling, by which values are compared: of a URL the case of scheme
 * and host, the default port, the slash at its end and needless percent-encoding; of an object the
 * order of its fields, and those that are empty; of a list of texts, which is a set, its order; of a
 * text the blanks around it. Everything else is another value.
 */
export function canonical(value: unknown): string {
  // A secret's own JSON is "[redacted]": a changed secret would not be noticed.
  if (value instanceof Secret) return canonical(value.reveal());
  if (Array.isArray(value)) {
    const items = value.map(canonical);
    const isSet = value.every((item) => typeof item === "string");
    return `[${(isSet ? items.sort() : items).join(",")}]`;
  }
  if (isJsonObject(value)) {
    const fields = Object.entries(value)
      .filter(([, field]) => !isNothing(field))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    if (fields.length === 0) return "null";
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(",")}}`;
  }
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  const text = value.trim().normalize("NFC");
  const url = text.includes("://") ? URL.parse(text) : null;
  return JSON.stringify(url === null ? text : canonicalUrl(url));
}

function canonicalUrl(url: URL): string {
  const { protocol, username, password, host, pathname, search, hash } = url;
  const user = username === "" && password === "" ? "" : `${username}:${password}@`;
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

/** Whether two values are the same but for their spelling. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** A name without what a service may change of it: case, blanks around it, encoding of letters. */
export function normalizedName(name: unknown): string {
  return String(name).trim().normalize("NFC").toLowerCase();
}

/** The bytes of a digest: so many that two values never share one by chance. */
const BYTES = 16;

/**
 * The digest of a value without its spelling: HMAC-SHA-256 of its canonical form, cut to 16 bytes,
 * base64url. It tells two values apart without revealing them. Secrets count by their value.
 * @param key the state's own random key
 */
export function digest(key: string, value: unknown): string {
  return digestOfText(key, canonical(value));
}

/** The digest of one field: equal values of two fields have different ones. */
export function fieldDigest(key: string, path: string, value: unknown): string {
  return digestOfText(key, `${path}\n${canonical(value)}`);
}

function digestOfText(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest().subarray(0, BYTES).toString("base64url");
}
