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

/**
 * The names of secret fields, in any case and with any hyphens and underscores: `apiKey`, `API_KEY`
 * and `api-key` are one. Names are matched whole, because the provider catalogue is full of
 * `tokenURL`, `apiKeyOpts` and `apiKeyAsBasic`, which are not secret. `value`: a text, number or
 * list is secret, and so are those of an object, except {@link HARMLESS_FIELDS}; `all`: every value
 * below an object is; `tokens`: as `value`, but only below an object (a number of tokens is a
 * count).
 */
const SECRET_NAMES: Readonly<Record<string, "value" | "all" | "tokens">> = {
  apikey: "value",
  xapikey: "value",
  apisecret: "value",
  token: "value",
  accesstoken: "value",
  refreshtoken: "value",
  idtoken: "value",
  bearertoken: "value",
  awssessiontoken: "value",
  jwt: "value",
  authorization: "value",
  cookie: "value",
  secret: "value",
  secretkey: "value",
  secretaccesskey: "value",
  awssecretkey: "value",
  awssecretaccesskey: "value",
  clientsecret: "value",
  signingsecret: "value",
  webhooksigningkey: "value",
  password: "value",
  privatekey: "value",
  credentials: "value",
  connectionstring: "value",
  secrets: "all",
  tokens: "tokens",
};

/**
 * The maps by the names that a builder or provider chose for objects, fields and modules: such a
 * name says nothing about its value. The keys within a value count again. `objects`: only if the
 * value is an object; `values`: whatever it is.
 */
const MAPS_OF_NAMES: Readonly<Record<string, "objects" | "values">> = {
  modules: "objects",
  moduleDependencies: "objects",
  objects: "objects",
  objectRecordLimits: "values",
  selectedFieldMappings: "values",
  selectedFields: "values",
};

/**
 * The shapes of secrets, whatever their names: a JWT, a private key, a signing secret of a webhook.
 */
const SECRET_SHAPES =
  /^\s*(?:eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]{6,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|whsec_[\w+/=-]{16,})/u;
const MIN_SHAPE_LENGTH = 22;

/** The fields of a token object that are not secret, such as its expiry. */
const HARMLESS_FIELDS = /^(?:issued|expires?)|(?:At|In|Type|Scopes?)$/u;

/** The values at a place that are secret; `objects` and `values`: see {@link MAPS_OF_NAMES}. */
type Cover = "open" | "objects" | "values" | "token" | "all";

/**
 * Redacts an answer. All other fields are kept, unknown ones too; the input is not changed, and
 * objects without secrets are not copied.
 * @param isMap whether the keys of the value are names, as in the provider catalogue
 */
export function redactAnswer<Value>(value: Value, isMap = false): Value {
  return redactValue(value, isMap ? "objects" : "open") as Value;
}

/** Whether a value, or one within it, was redacted in an answer, or cut off. */
export function holdsRedacted(value: unknown): boolean {
  if (value === REDACTED || value === DEEPER_VALUE) return true;
  return isObject(value) && Object.values(value).some(holdsRedacted);
}

function redactValue(value: unknown, cover: Cover, depth = 0): unknown {
  if (!isObject(value)) {
    const isCovered = cover === "token" || cover === "all";
    const secret = isCovered ? isScalar(value) : hasSecretShape(value);
    return secret ? REDACTED : value;
  }
  if (depth > MAX_DEPTH) return DEEPER_VALUE;
  const isList = Array.isArray(value);
  let copy: Record<string, unknown> | undefined;
  // A long list has millions of fields, and almost none is a secret.
  for (const key of Object.keys(value)) {
    const item = value[key];
    const next = redactValue(
      item,
      isList ? coverOfItem(cover) : coverOf(key, item, cover),
      depth + 1,
    );
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

function coverOf(key: string, item: unknown, outer: Cover): Cover {
  if (outer === "all") return "all";
  if (outer === "token") return HARMLESS_FIELDS.test(key) ? "open" : "token";
  if (outer === "values" || (outer === "objects" && isObject(item))) return "open";
  const meaning = meaningOf(key);
  if (meaning === "open" || meaning === "objects" || meaning === "values") return meaning;
  if (isObject(item)) return meaning === "all" ? "all" : "token";
  return meaning === "value" && isScalar(item) ? "token" : "open";
}

/** What the name of a field says of its value: its secrecy, or the cover of a map. */
type Meaning = (typeof SECRET_NAMES)[string] | (typeof MAPS_OF_NAMES)[string] | "open";

const MAX_KNOWN_NAMES = 1_000;
const knownNames = new Map<string, Meaning>();

/** The meaning of a name, remembered because the records of a list repeat their names. */
function meaningOf(name: string): Meaning {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const plain = name.replace(/[-_]/gu, "").toLowerCase();
  const meaning = own(SECRET_NAMES, plain) ?? own(MAPS_OF_NAMES, name) ?? "open";
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, meaning);
  return meaning;
}

/** Whether a header of this name has a credential as its value. */
export function isCredentialHeader(name: string): boolean {
  return meaningOf(name.replace(/^(?:x|proxy)-/iu, "")) === "value" || /-auth-token$/iu.test(name);
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function hasSecretShape(value: unknown): boolean {
  return typeof value === "string" && value.length >= MIN_SHAPE_LENGTH && SECRET_SHAPES.test(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
