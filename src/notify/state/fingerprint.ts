import { createHmac } from "node:crypto";
import { Secret } from "../../secrets/secret.ts";

/** The fingerprint of a record with an unknown body: it was imported by its ID alone. */
export const UNKNOWN_FINGERPRINT = "";

/**
 * Makes a fingerprint that distinguishes two bodies without revealing them: HMAC-SHA-256 keyed by
 * the state's salt, hex. The order of fields does not matter. Secrets count by their value.
 */
export function fingerprint(salt: string, body: unknown): string {
  return createHmac("sha256", salt).update(canonical(body)).digest("hex");
}

/** Whether a record was made from this body; true if the record's body is unknown. */
export function sameFingerprint(known: string, wanted: string): boolean {
  return known === UNKNOWN_FINGERPRINT || known === wanted;
}

/** JSON with sorted fields; undefined fields are left out, as in a request. */
function canonical(value: unknown): string {
  // A secret's own JSON is "[redacted]": a changed secret would not be noticed.
  if (value instanceof Secret) return JSON.stringify(value.reveal());
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(",")}}`;
}
