import { REDACTED } from "./secret.ts";

const KEY = "(?:api[-_]?key|hapikey|private[-_]?key|client[-_]?secret|password|passwd";
const TOKEN = "(?:access|refresh|id|bearer|session|auth)[-_]?token";
/** A name that stands before a secret, in any case; `token` alone only as a whole word. */
const NAME = `${KEY}|${TOKEN}|\\btoken|\\bsecret(?:[-_]?(?:access[-_]?)?key)?|\\bsig(?:nature)?)`;
/** The text between a name and its value, in a query, in JSON and in JSON within JSON. */
const IS = `\\\\?["']?\\s*[:=]\\s*\\\\?["']?`;

/**
 * The forms of secrets within a longer text, such as the line of a log that quotes a request. The
 * part of each that stays is captured.
 */
const QUOTED: readonly RegExp[] = [
  // A JWT.
  /()eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]*/gu,
  // A signing secret of a webhook.
  /()whsec_[\w+/=-]{16,}/gu,
  // A key of AWS.
  /()\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gu,
  // A header; a word after the scheme is no credential.
  /(\b(?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s+)(?=.[\w.~+/=-]*[\d=A-Z]|[\w.~+/-]{20})[\w.~+/=-]{8,}/gu,
  // A field, a parameter of a query, a part of JSON.
  new RegExp(`(${NAME}${IS})(?!\\[redacted\\])[^\\s"'&,;}\\\\]{4,}`, "giu"),
  // The user name and password of a URL.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"']+:[^\s/@"']+(?=@)/giu,
];

/** The length above which a text is cut: no pattern may take seconds over one. */
const MAX_SEARCHED = 200_000;

/** Redacts the secrets that a text quotes. */
export function redactQuoted(text: string): string {
  const searched = text.length > MAX_SEARCHED ? `${text.slice(0, MAX_SEARCHED - 1)}…` : text;
  return QUOTED.reduce((rest, pattern) => rest.replace(pattern, `$1${REDACTED}`), searched);
}

/** Redacts the secrets that the texts of a value quote, at every depth; keys stay. */
export function redactQuotedIn<Value>(value: Value): Value {
  if (typeof value === "string") return redactQuoted(value) as Value;
  if (Array.isArray(value)) return value.map(redactQuotedIn) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactQuotedIn(item)]),
  ) as Value;
}
