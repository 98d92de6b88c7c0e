import { REDACTED } from "./secret.ts";

/** The maximum levels of nesting; the service has a tenth of them, and the stack has its limit. */
export const MAX_DEPTH = 200;

/** The text in place of a value that is nested more deeply. */
export const TOO_DEEP = "[nested too deeply]";

/** The value with deeper levels cut off; the same object if nothing was cut. */
export function truncateDeep(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  const items = Object.entries(value);
  const cut = items.map(([key, item]): [string, unknown] => [key, truncateDeep(item, depth + 1)]);
  if (cut.every(([, item], at) => item === items[at]?.[1])) return value;
  return Array.isArray(value) ? cut.map(([, item]) => item) : Object.fromEntries(cut);
}

/**
 * Fields whose value is a secret anywhere. Names are matched whole, because the provider catalogue is
 * full of `tokenURL`, `apiKeyOpts` and `apiKeyAsBasic`, which are not secret.
 */
const SECRET_FIELDS = new Set([
  "apiKey",
  "api_key",
  "token",
  "accessToken",
  "access_token",
  "refreshToken",
  "refresh_token",
  "idToken",
  "id_token",
  "clientSecret",
  "client_secret",
  "password",
  "privateKey",
  "private_key",
  "connectionString",
  "signingSecret",
  "authorization",
  "Authorization",
  "x-api-key",
  "X-Api-Key",
]);

/** Fields whose every value below is a secret. */
const SECRET_PARENTS = new Set(["secrets", "tokens"]);

/** Fields of a token object that are not secret, such as its expiry. */
const HARMLESS_FIELDS = /^(?:issued|expires?)|(?:At|In|Type|Scopes?)$/u;

/** Which values at a place are secret. */
type Cover = "open" | "token" | "all";

/**
 * Redacts an answer. Everything but secrets is kept, unknown fields too; the input is not changed, and
 * objects without secrets are not copied.
 */
export function redactAnswer<Value>(value: Value): Value {
  return redactValue(value, "open") as Value;
}

function redactValue(value: unknown, cover: Cover, depth = 0): unknown {
  if (!isObject(value)) {
    const secret = cover !== "open" && (typeof value === "string" || typeof value === "number");
    return secret ? REDACTED : value;
  }
  if (depth > MAX_DEPTH) return TOO_DEEP;
  const isList = Array.isArray(value);
  let copy: Record<string, unknown> | undefined;
  // A long list has millions of fields, and almost none is a secret.
  for (const key of Object.keys(value)) {
    const item = value[key];
    const next = redactValue(item, isList ? cover : coverOf(key, item, cover), depth + 1);
    if (next === item) continue;
    copy ??= copyOf(value);
    copy[key] = next;
  }
  return copy ?? value;
}

/** Copies by entries, because a field named __proto__ is data here and must not be assigned. */
function copyOf(source: Record<string, unknown>): Record<string, unknown> {
  if (Array.isArray(source)) return source.slice() as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(source));
}

function coverOf(key: string, item: unknown, outer: Cover): Cover {
  if (outer === "all") return "all";
  if (outer === "token") return HARMLESS_FIELDS.test(key) ? "open" : "token";
  if (SECRET_PARENTS.has(key) && isObject(item)) return key === "tokens" ? "token" : "all";
  return SECRET_FIELDS.has(key) && (typeof item === "string" || isObject(item)) ? "token" : "open";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
