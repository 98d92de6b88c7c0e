import { isSecretName, mayName, meaningOf } from "./names.ts";
import {
  endOfJson,
  isHarmless,
  looksRandom,
  mayHaveShape,
  redactNames,
  redactShapes,
} from "./recognised.ts";
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
type Cover = "open" | "objects" | "values" | "unsure" | "token" | "all" | "page";

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
    if (cover === "unsure" && typeof value === "string" && looksRandom(value)) return REDACTED;
    const isText = typeof value === "string" && cover !== "page" && !keepsTexts;
    return isText ? redactQuoted(value) : value;
  }
  if (depth > MAX_DEPTH) return DEEPER_VALUE;
  const isList = Array.isArray(value);
  let copy: Record<string, unknown> | undefined;
  let hasSecretKey = false;
  // A long list has millions of fields, and almost none is a secret.
  for (const key of Object.keys(value)) {
    const item = value[key];
    const covered = isList
      ? coverOfItem(cover, item, () => value[Number(key) - 1])
      : coverOf(key, item, cover, value);
    const next = redactValue(item, covered, keepsTexts, depth + 1);
    hasSecretKey ||= !isList && !keepsTexts && key.length >= MIN_KEY && isSecretKey(key, cover);
    if (next === item) continue;
    copy ??= copyOf(value);
    copy[key] = next;
  }
  return hasSecretKey ? withoutSecretKeys(copy ?? value, cover) : (copy ?? value);
}

/** The minimum length of a secret that is the key of an object. */
const MIN_KEY = 16;

/** Whether the key of an object is a secret, or has one: a map of tokens, a cache by session. */
function isSecretKey(key: string, cover: Cover): boolean {
  if (cover === "token" || cover === "all") return looksRandom(key);
  return redactQuoted(key) !== key;
}

/** An object whose secret keys are numbered instead. */
function withoutSecretKeys(value: Readonly<Record<string, unknown>>, cover: Cover) {
  const entries = Object.entries(value).map(([key, item], at): [string, unknown] => [
    key.length >= MIN_KEY && isSecretKey(key, cover) ? `${REDACTED} ${at + 1}` : key,
    item,
  ]);
  return Object.fromEntries(entries);
}

/** Copies by entries, because a field named __proto__ is data here and must not be assigned. */
function copyOf(source: Record<string, unknown>): Record<string, unknown> {
  if (Array.isArray(source)) return source.slice() as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(source));
}

/**
 * The cover of an item of a list, which is not the map that its name stands for. It may follow its
 * name: `["X-Api-Key", "…"]`, `["--token", "…"]`.
 */
function coverOfItem(cover: Cover, item: unknown, previous: () => unknown): Cover {
  if (cover === "token" || cover === "all" || cover === "unsure") return cover;
  if (typeof item !== "string") return "open";
  const before = previous();
  if (typeof before !== "string" || before.length > 60) return "open";
  if (before.startsWith("-")) {
    return isSecretName(before) || (/^(?:-u|--user)$/u.test(before) && item.includes(":"))
      ? "token"
      : "open";
  }
  return looksRandom(item) && isSecretName(before) ? "token" : "open";
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
  const meaning = meaningOf(key);
  if (meaning === "value")
    return NAMES.some((name) => isNameOfSecret(owner[name])) ? "token" : "open";
  if (key === "key" && "value" in owner) return "open";
  if (meaning === "texts") return typeof item === "number" ? "open" : "token";
  if (meaning === "own") return isObject(item) && !Array.isArray(item) ? "open" : "token";
  return meaning === "secret" ? "token" : meaning;
}

/** The fields that name what another field of their object has. */
const NAMES = ["name", "key", "header", "field", "id", "label", "path", "type", "k", "Name", "Key"];

function isNameOfSecret(name: unknown): boolean {
  return typeof name === "string" && name.length <= 100 && isSecretName(name);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The minimum length of a text with a secret: `pw=1`. */
const MIN_LENGTH = 4;
const MAX_KNOWN = 2_000;
const MAX_KNOWN_LENGTH = 64;
/** Short texts without a secret, remembered because the records of a list repeat them. */
const knownTexts = new Set<string>();

/** Only such a text has a character that is not seen, or a full-width form, in a name. */
const MAY_HIDE = /[^\n\r\t -~]/;
const UNSEEN = /(?![\n\r\t])\p{Cc}(?:\[[\d;]*m)?|\p{Default_Ignorable_Code_Point}/gu;

/** Redacts the secrets that a text has by their shape, or after a secret name. */
export function redactQuoted(text: string): string {
  if (text.length < MIN_LENGTH || knownTexts.has(text) || isHarmless(text)) return text;
  const shown = redactHidden(text);
  if (shown === text && text.length <= MAX_KNOWN_LENGTH && knownTexts.size < MAX_KNOWN)
    knownTexts.add(text);
  return shown;
}

/** Redacts also what has characters in it that are not seen; they are left out then. */
function redactHidden(text: string): string {
  if (MAY_HIDE.test(text)) {
    const seen = text
      .replaceAll(UNSEEN, "")
      .replaceAll(/[！-～]+/gu, (wide) => wide.normalize("NFKC"));
    const shown = redactSeen(seen);
    return shown === seen ? text : shown;
  }
  return redactSeen(text);
}

function redactSeen(text: string): string {
  const hasShape = mayHaveShape(text);
  const hasName = mayName(text);
  if (!hasShape && !hasName) return text;
  return eachJson(text, (part) => {
    const rest = hasShape ? redactShapes(redactEncoded(part)) : part;
    return hasName ? redactNames(rest) : rest;
  });
}

/** JSON in base64 that has a secret. */
function redactEncoded(text: string): string {
  return text.replaceAll(/(?<![\w+/])eyJ[\w+/]{16,}={0,2}/gu, (encoded) => {
    const decoded = Buffer.from(encoded, "base64").toString("utf8");
    return redactQuoted(decoded) === decoded ? encoded : REDACTED;
  });
}

/** Where JSON begins, or JSON in a text of JSON. */
const JSON_START = /(?:[[{]\s{0,80}){1,5}(?<escape>\\?)"/gu;

/** A text with the JSON in it redacted as an answer is, and the rest as `redact` does it. */
function eachJson(text: string, redact: (part: string) => string): string {
  if (!text.includes('"')) return redact(text);
  let result = "";
  let done = 0;
  let searched = 0;
  for (const { index, groups } of text.matchAll(JSON_START)) {
    if (index < searched || isNamed(text, index)) continue;
    const end = groups?.escape ? endOfEscaped(text, index) : endOfJson(text, index);
    if (end === undefined) break;
    searched = end;
    const raw = text.slice(index, end);
    const shown = groups?.escape ? redactedEscaped(raw) : redactedJson(raw);
    if (shown === undefined) continue;
    result += redact(text.slice(done, index)) + shown;
    done = end;
  }
  return result + redact(text.slice(done));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether JSON is the value of a secret name, which hides it as a whole. */
function isNamed(text: string, at: number): boolean {
  const before = /([\p{L}\p{N}_.-]+)[\\"'\])]*\s*(?:=>|[=:])\s*$/u.exec(
    text.slice(Math.max(0, at - 80), at),
  );
  return before !== null && isSecretName(before[1] ?? "");
}

function redactedJson(raw: string): string | undefined {
  const value = jsonOf(raw);
  if (typeof value !== "object" || value === null) return undefined;
  const shown = redactAnswer(value);
  if (shown === value) return raw;
  const [, indent] = /\n([ \t]+)/u.exec(raw) ?? [];
  if (indent === undefined && !/": /u.test(raw)) return JSON.stringify(shown);
  const spread = JSON.stringify(shown, undefined, indent ?? " ");
  return indent === undefined
    ? spread.replaceAll(/(,?)\n\s*/gu, (_, comma) => comma && ", ")
    : spread;
}

/** The place of the quote that ends the text of JSON in which a place is. */
function endOfEscaped(text: string, from: number): number {
  const found = /(?<!\\)"/gu;
  found.lastIndex = from;
  return found.exec(text)?.index ?? text.length;
}

function redactedEscaped(raw: string): string | undefined {
  const inner = jsonOf(`"${raw}"`);
  if (typeof inner !== "string") return undefined;
  const shown = redactQuoted(inner);
  return shown === inner ? raw : JSON.stringify(shown).slice(1, -1);
}
