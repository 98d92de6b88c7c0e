import { UsageError } from "../errors.ts";
import { Secret } from "../secret.ts";

/** What another tool's keys begin with; it reads AMP_API_KEY, too. */
const FOREIGN_PREFIX = "sgamp_";

/**
 * Makes a secret of what was typed, piped or set.
 * @param source what to name in errors, for example `AMP_API_KEY`
 * @throws {UsageError} where it cannot be one; the message never holds it
 */
export function cleanSecret(text: string, source: string): Secret {
  const secret = text.trim();
  if (secret === "") throw new UsageError(`${source} is empty`);
  if (/\p{Cc}/u.test(secret)) {
    throw new UsageError(`${source} holds a line break or another control character`, {
      remedy: "Copy it again, without what stands around it.",
    });
  }
  if (/[^\u0020-\u00ff]/u.test(secret)) {
    throw new UsageError(`${source} holds a character that no header can carry`, {
      remedy: "Copy it again: dots or quotes may have been replaced on the way.",
    });
  }
  if (secret.startsWith(FOREIGN_PREFIX)) {
    throw new UsageError(`${source} holds a key of another tool (${FOREIGN_PREFIX}…)`, {
      detail: "Another tool reads AMP_API_KEY, too. Its keys mean nothing here.",
      remedy: "Give a key of the integration platform.",
    });
  }
  return new Secret(secret);
}

/** When a JWT ends; undefined where it does not say so or is none. Its signature is not looked at. */
export function jwtExpiry(token: string): Date | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const { exp } = claims as { exp?: unknown };
    const expiry = new Date(typeof exp === "number" ? exp * 1000 : Number.NaN);
    return Number.isNaN(expiry.getTime()) ? undefined : expiry;
  } catch {
    return undefined;
  }
}
