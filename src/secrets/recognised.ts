import { REDACTED } from "./secret.ts";

/** Words that make a name secret wherever they are in it, also run together: `dbPassword`. */
const SECRET_WORDS =
  /passw(?:or)?[dt]|passphrase|kennwort|wachtwoord|contrasena|senha$|secret(?!ar[iy]|i(?:on|ve)|ory|ors?$)|credential|(?:^|db|user|my)pwd/u;

/** Words that make a name secret if they are its last one: `accessToken`. */
const LAST_WORDS: ReadonlySet<string> = new Set(
  words(`token key auth authorization cookie jwt bearer pat otp totp pin cvv cvc sig signature hmac csrf
   xsrf dsn assertion pass passe passcode passkey pw pwd psk hapikey verifier`),
);

/** Secret names of several words that are often written as one: `APIKEY`, `sessionid`. */
const RUN_TOGETHER = [
  ...words("token cookie jwt connectionstring sessid sessionid"),
  ...words(
    `access account admin api app auth client consumer device encryption hmac license master private
     secret service session shared signing ssh storage webhook`,
  ).map((word) => `${word}key`),
  ...words("access basic bearer http proxy user").map((word) => `${word}auth`),
  ...words("auth authorization onetime verification security").map((word) => `${word}code`),
];

/** What may follow them, also run together. */
const ENDING = /(?:(?<!sess(?:ion)?)ids?|s|hash|value|pem|v?\d+)+$/u;

/** Words after the one that counts: `apiKeyId`, `token_hash`, `private-key-pem`, `secretV2`. */
const TAIL =
  /^(?:ids?|hash|digest|values?|pem|raw|b64|base64|enc|encoded|encrypted|text|str|string|plain|old|new|current|previous|prod|test|live|sha|md|v?\d+)$/u;

/**
 * Names that end like a secret and are none: keys of records, positions in a list, counts. A key
 * that stands alone in the plural is a list of names.
 */
const EXCEPTIONS = [
  ...words(
    `public publishable primary foreign object partition sort row range hash cache dedup dedupe
     deduplication routing group idempotency unique natural composite surrogate business record field
     property attribute column metadata label translation locale lookup join index external document
     file s3 issue project event message feature flag item map sync parent child source target hot
     shortcut`,
  ).map((word) => `${word}key`),
  ...words(
    `page next continuation sync delta cursor pagination resume start skip stop design max min total
     prompt completion input output cached`,
  ).map((word) => `${word}token`),
  "oauth",
];

/**
 * The maps by the names that a builder or provider chose for objects, fields and modules: such a
 * name says nothing about its value. The keys within a value count again. `objects`: only if the
 * value is an object; `values`: whatever it is.
 */
const MAPS_OF_NAMES: Readonly<Record<string, "objects" | "values">> = {
  modules: "objects",
  moduleDependencies: "objects",
  objects: "objects",
  fields: "objects",
  properties: "objects",
  objectRecordLimits: "values",
  scopeMappings: "values",
  selectedFieldMappings: "values",
  selectedFields: "values",
  selectedValueMappings: "values",
};

/**
 * What the name of a field says of its value. `secret`: a text or number is secret, and so are
 * those of a list or object; `texts`: the same, but a number is a count; `own`: only the text or
 * number itself; `all`: whatever is below; `page`: a position in a list, which is not a secret
 * whatever its shape; `objects` and `values`: a map of names.
 */
type NameMeaning = "open" | "secret" | "texts" | "own" | "all" | "page" | "objects" | "values";

const MAX_KNOWN_NAMES = 2_000;
const knownNames = new Map<string, NameMeaning>();

/** The meaning of a name, remembered because the records of a list repeat their names. */
export function meaningOf(name: string): NameMeaning {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const meaning = read(name);
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, meaning);
  return meaning;
}

/** Whether a field, header or parameter of this name has a secret as its value. */
export function isSecretName(name: string): boolean {
  return ["secret", "texts", "own", "all"].includes(meaningOf(name));
}

function read(name: string): NameMeaning {
  if (Object.hasOwn(MAPS_OF_NAMES, name)) return MAPS_OF_NAMES[name] ?? "open";
  if (!MAY_NAME.test(name)) return "open";
  const parts = name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/gu, "$1$3 $2")
    .toLowerCase()
    .split(/[\W_]+/)
    .filter((word) => word !== "");
  const end = parts.findLastIndex((word) => !TAIL.test(word)) + 1;
  const kept = parts.slice(0, end || parts.length);
  const joined = kept.join("");
  if (/pagetokens?$/u.test(joined)) return "page";
  if (joined === "secrets") return "all";
  if (SECRET_WORDS.test(parts.join(""))) return "secret";
  const last = (kept.at(-1) ?? "").replace(/\d+$/u, "");
  const isLast = LAST_WORDS.has(last) || LAST_WORDS.has(last.replace(/s$/u, ""));
  if (!isLast && !isCompound(joined) && !isCompound(parts.join(""))) return "open";
  if (joined === "keys" || endsInOne(EXCEPTIONS, joined.replace(/s$/u, ""))) return "open";
  if (last === "auth") return "own";
  // A number of tokens, or of tests that pass, is a count.
  return last.endsWith("s") ? "texts" : "secret";
}

function isCompound(name: string): boolean {
  return endsInOne(RUN_TOGETHER, name.replace(ENDING, ""));
}

function endsInOne(all: readonly string[], name: string): boolean {
  return all.some((one) => name.endsWith(one));
}

/** Words between spaces, for a list of them is read at a glance. */
function words(text: string): string[] {
  return text.split(/\s+/u);
}

const TOKEN_REST = /[\w+/=-]{16,}/u;

/** Where a token may begin, also after an escaped line break and in a URL. */
const START = "(?:(?<![A-Za-z\\d])|(?<=\\\\[nrt]|%[\\dA-F]{2}))";

/**
 * The shapes of secrets, whatever is before them: how each begins, and the rest. The beginnings
 * alone are a quick test that few texts pass.
 */
const SHAPES: readonly (readonly [begin: RegExp, rest: RegExp])[] = [
  // A JWT, whole or cut off, and a private key of any form.
  [/eyJ/u, /[\w-]{6,2000}\.eyJ[\w-]{6,}(?:\.[\w-]*)?/u],
  [/-----BEGIN/u, /[A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END[A-Z ]*PRIVATE KEY[A-Z ]*-----|$)/u],
  // Well-known prefixes.
  [/A(?:3T[A-Z\d]|KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)/u, /[A-Z\d]{16}\b/u],
  [
    /(?:gh[opsur]|github_pat|npm|ntn|hf|gsk|glsa|glc|lin_api|figd|dckr_pat|dop_v1|ops|sbp|tfp)_/u,
    TOKEN_REST,
  ],
  [/(?:shp(?:at|ca|pa|ss)|vc[aikpr]|[rs]k_(?:live|test)|whsec|sntrys)_/u, TOKEN_REST],
  [
    /(?:glpat|xox[a-z]|xapp|sk|pat-(?:na|eu)\d|xkeysib|PMAK|GOCSPX|NRAK|pul|sq0(?:atp|csp))-/u,
    TOKEN_REST,
  ],
  // Mailgun, Google's refresh tokens and codes, Facebook, Atlassian, sessions of Salesforce.
  [/(?:key-(?=[\da-z]{32}\b)|1\/\/0|4\/0A|EAA[A-Z]|ATATT3|00D[A-Za-z\d]{12,15}!)/u, /[\w.-]{16,}/u],
  [/(?:AIza|ya29\.|SG\.|hv[bsr]\.|dapi|AGE-SECRET-KEY-1)/u, /[\w.-]{16,}/u],
];

/** The same, where what is before them stays. */
const SHAPES_AFTER: typeof SHAPES = [
  [
    /\/\/hooks\.(?:slack(?:-gov)?|zapier)\.com\/|discord(?:app)?\.com\/api\/webhooks\//u,
    /[\w/-]+/u,
  ],
  // What follows the scheme of a header, unless it is a word; the login of a URL, and of curl.
  [
    /(?<![A-Za-z])(?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s/u,
    /(?=.[\w.~+/=-]*[\d=A-Z]|[\w.~+/-]{20})[\w.~+/=-]{8,}/u,
  ],
  [/:\/\/(?=[^\s/]*@)/u, /(?:[^\s/@"':]*:[^\s/@"']+|[^\s/@"':]{16,})(?=@)/u],
  [/\s(?:-u|--user)[ =]/u, /[^\s:"']+:[^\s"']+/u],
];

const BEGIN = new RegExp([...SHAPES, ...SHAPES_AFTER].map(([{ source }]) => source).join("|"));
const SHAPE = new RegExp(
  [
    ...SHAPES.map(([begin, rest]) => START + begin.source + rest.source),
    ...SHAPES_AFTER.map(([begin, rest]) => `(?<=${begin.source})${rest.source}`),
  ].join("|"),
  "gu",
);

/** Quick tests that few texts pass: only such a text may have a secret name with its value. */
const MAY_PAIR = /[=>]|:(?!\/\/)|%3|--/u;
const MAY_NAME =
  /pass|pwd|pw|secret|cred|token|key|auth|cookie|jwt|bearer|pat|otp|pin|cv[cv]|sig|hmac|[cx]srf|dsn|psk|assertion|sess|string|code|verifier|wort|woord|contrasena|senha/i;

/**
 * A name and what is between it and its value: in a query, in JSON and in JSON within JSON, in
 * XML, in a header, as an option.
 */
const NAMED =
  /(?:(?<![\w.\\%-]|<\/)|(?<=\\[nrt]|%[\dA-F]{2}))(?:--(?<option>[\w-]{2,})\s+(?!-)|(?<name>(?:[\w.-]+ )?[\w.-]+)(?:(?<tag>>)|(?<close>(?:\\*["'`]|[\])]|%22|%5D)*)\s*(?<sign>=>|[=:]|%3A|%3D)\s*))/giu;

/** What a name may have in place of a secret: nothing, a word, a template, a mask. */
const NO_SECRET =
  /^(?:$|\[redacted\]|(?:null|none|undefined|true|false|expired|invalid|missing|required|revoked|rejected|refused|denied|empty|unknown|not|is|was|must|has|cannot)(?![\w-])|[*x.…]+$|%s|\$?\{\{?|\$\(|<)/iu;

/** A word of a sentence that goes on, "token: refused by the provider", but not after a password. */
const PROSE = /^[A-Za-z]{1,15}[,.;]?\s+[A-Za-z]/u;
const NEVER_PROSE = /pass|pwd|secret|cookie/iu;
const ALWAYS_SECRET = /pass|pwd|pin$|otp|secret|code|wort|woord|senha/iu;

/** The headers whose value is the rest of the line, and the schemes that are not part of a secret. */
const LINE = /(?:cookie|authorization)$/iu;
const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|OAuth|ApiKey|AWS4-HMAC-SHA256)\s+/iu;

/** A name with its value in a sentence: `password is "hunter2"`, `OTP 482913`. */
const SPOKEN =
  /(?<![\w.-])([\w-]{0,40}?(?:pass|pwd|pin|otp|secret|token|key|code|wort|woord|senha)[\w-]{0,20})\s+(?:(?:is|was)\s+["'`]([^"'`\n]{4,})|(?:(?:is|was)\s+)?((?=[^\s"'`,;:()]*\d)[^\s"'`,;:()]{4,}))/giu;

/** The minimum lengths of `pw=1` and of what has a shape. */
const MIN_LENGTH = 4;
const MIN_SHAPE = 16;
/** A time or UUID, which most long texts of a list are. */
const HARMLESS = /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z?|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/u;

/** Redacts the secrets that a text has by their shape, or after a secret name. */
export function redactQuoted(text: string): string {
  if (text.length < MIN_LENGTH) return text;
  let rest = text;
  if (text.length >= MIN_SHAPE) {
    if (HARMLESS.test(text)) return text;
    if (BEGIN.test(text)) rest = text.replace(SHAPE, REDACTED);
  }
  if (!MAY_NAME.test(rest)) return rest;
  const spoken = rest.replace(SPOKEN, redactSpoken);
  return MAY_PAIR.test(spoken) ? redactNamed(spoken) : spoken;
}

/** What follows the name of a token or key in a sentence is a secret only if it looks like one. */
function redactSpoken(whole: string, name: string, quoted?: string, plain?: string): string {
  const value = quoted ?? plain ?? "";
  const isOne = ALWAYS_SECRET.test(name) || (value.length >= MIN_SHAPE && /[a-z]/iu.test(value));
  return isOne && isSecretName(name) ? whole.slice(0, -value.length) + REDACTED : whole;
}

function redactNamed(text: string): string {
  let result = "";
  let done = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(NAMED)) {
    const from = index + whole.length;
    const { name = groups.option ?? "" } = groups;
    if (from < done || !MAY_NAME.test(name) || !isSecretName(name)) continue;
    const [start, end] = valueAt(text, from, whole, groups);
    const value = text.slice(start, end);
    if (NO_SECRET.test(value)) continue;
    const [scheme = ""] = SCHEME.exec(value) ?? [];
    result += text.slice(done, start + scheme.length) + REDACTED;
    done = end;
  }
  return result + text.slice(done);
}

/** The place of the value that follows a name; an empty one if it is a word of a sentence. */
function valueAt(
  text: string,
  from: number,
  whole: string,
  { name = "", tag, close, sign }: Readonly<Record<string, string | undefined>>,
): [number, number] {
  const [quote = ""] = /^(?:\\*["'`]|%22)/u.exec(text.slice(from, from + 40)) ?? [];
  const start = from + quote.length;
  if (quote !== "") return [start, endOfQuoted(text, start, quote)];
  if (/^(?:\[|\{(?!\{))/u.test(text.slice(start, start + 2))) {
    return [start, endOfJson(text, start) ?? text.length];
  }
  const ending = (pattern: RegExp): [number, number] => {
    pattern.lastIndex = start;
    return [start, start + (pattern.exec(text)?.[0].length ?? 0)];
  };
  if (tag !== undefined) return ending(/[^<]*/uy);
  if (sign === ":" && close === "") {
    const isSentence = /\s$/u.test(whole) && PROSE.test(text.slice(start, start + 40));
    if (isSentence && !NEVER_PROSE.test(name)) return [start, start];
    if (LINE.test(name)) return ending(/(?:Bearer|Basic|Token)\s+[^\s"'\\]+|[^\r\n"'\\]*/iuy);
  }
  return ending(/(?:(?:Bearer|Basic|Token)\s+)?[^\s"'`&,;<>}\\]*/iuy);
}

/** The end of a quoted text: a quote inside it has more backslashes before it. */
function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (quote === "%22" || text[at - 1] !== "\\" || at === from) return at;
    const before = /\\*$/u.exec(text.slice(Math.max(from, at - 20), at))?.[0].length ?? 0;
    // Two backslashes are one of the text itself.
    if (quote.length === 1 && before % 2 === 0) return at;
  }
  return text.length;
}

/** The place after the JSON that begins at a place; undefined where it does not end. */
export function endOfJson(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
