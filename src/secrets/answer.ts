import { isSecretName, meaningOf, redactQuoted } from "./recognised.ts";
import { REDACTED } from "./secret.ts";

/** The maximum levels of nesting: ten times those of the service, far below the stack's limit. */
export const MAX_DEPTH = 200;

/** The text in place of a value that is nested more deeply. */
export const DEEPER_VALUE = "[nested too deeply]";

/** The value with deeper levels cut off; the same object if nothing was cut. */
export function truncateDeep(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return DEEPER_VALUE;
  const items = Object.entries(value);
  const cut = items.map(([key, item]): [string, unknown] => [key, truncateDeep(item, depth + 1)]);
  if (cut.every(([, item], at) => item === items[at]?.[1])) return value;
  return Array.isArray(value) ? cut.map(([, item]) => item) : Object.fromEntries(cut);
}

/** The fields of a token object that are not secret, such as its expiry. */
const HARMLESS_FIELDS = /^(?:issued|expires?|type$|status$|scopes?$)|(?:At|In|Type|Scopes?)$/u;

/** The values at a place that are secret; `objects` and `values`: in a map of names. */
type Cover = "open" | "objects" | "values" | "token" | "all" | "page";

interface RedactOptions {
  /** Whether the keys of the value are names, as in the provider catalogue. */
  readonly isMap?: boolean;
  /** Whether secrets that texts quote are kept, for a comparison. */
  readonly keepsTexts?: boolean | undefined;
}

/**
 * Redacts an answer: what is secret by the name of its field, and what its texts quote. All other
 * fields are kept, unknown ones too; the input is not changed, and objects without secrets are not
 * copied.
 */
export function redactAnswer<Value>(
  value: Value,
  { isMap = false, keepsTexts = false }: RedactOptions = {},
): Value {
  return redactValue(value, isMap ? "objects" : "open", keepsTexts) as Value;
}

/** Whether a value, or one within it, was redacted in an answer, or cut off. */
export function holdsRedacted(value: unknown): boolean {
  if (typeof value === "string") return value.includes(REDACTED) || value === DEEPER_VALUE;
  return isObject(value) && Object.values(value).some(holdsRedacted);
}

function redactValue(value: unknown, cover: Cover, keepsTexts: boolean, depth = 0): unknown {
  if (!isObject(value)) {
    if (cover === "token" || cover === "all") return isScalar(value) ? REDACTED : value;
    const isText = typeof value === "string" && cover !== "page" && !keepsTexts;
    return isText ? redactQuoted(value) : value;
  }
  if (depth > MAX_DEPTH) return DEEPER_VALUE;
  const isList = Array.isArray(value);
  let copy: Record<string, unknown> | undefined;
  // A long list has millions of fields, and almost none is a secret.
  for (const key of Object.keys(value)) {
    const item = value[key];
    const covered = isList ? coverOfItem(cover) : coverOf(key, item, cover, value);
    const next = redactValue(item, covered, keepsTexts, depth + 1);
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

/** The cover of a list's items: a list is not the map that its name stands for. */
function coverOfItem(cover: Cover): Cover {
  return cover === "token" || cover === "all" ? cover : "open";
}

function coverOf(
  key: string,
  item: unknown,
  outer: Cover,
  owner: Readonly<Record<string, unknown>>,
): Cover {
  if (outer === "all") return "all";
  if (outer === "token") return HARMLESS_FIELDS.test(key) ? "open" : "token";
  if (outer === "values" || (outer === "objects" && isObject(item))) return "open";
  // `{name: "apiKey", value: "…"}`: a header, a parameter or an input.
  if (key === "value") return isSecretName(nameOf(owner)) ? "token" : "open";
  if (key === "key" && "value" in owner) return "open";
  const meaning = meaningOf(key);
  if (meaning === "texts") return typeof item === "number" ? "open" : "token";
  if (meaning === "own") return isObject(item) ? "open" : "token";
  return meaning === "secret" ? "token" : meaning;
}

function nameOf({ name, key, header, field }: Readonly<Record<string, unknown>>): string {
  const named = [name, key, header, field].find((one) => typeof one === "string");
  return typeof named === "string" ? named : "";
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
