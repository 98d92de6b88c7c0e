import { createHmac } from "node:crypto";
import { canonical } from "../model/canonical.ts";

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
