import { isSecretName, mayName, meaningOf } from "./names.ts";
import { REDACTED } from "./secret.ts";

const TOKEN_REST = /[\w+/=-]{16,}/u;

/** Where a token may begin, also after an escaped line break and in a URL. */
const START = "(?:(?<![A-Za-z\\d])|(?<=\\\\[nrt]|%[\\dA-F]{2}))";

/**
 * The shapes of secrets, whatever is before them: how each begins, and the rest. The beginnings
 * alone, or what is quicker to find, are a test that few texts pass.
 */
const SHAPES: readonly (readonly [begin: RegExp, rest: RegExp, quick?: RegExp])[] = [
  // A JWT, whole, encrypted or cut off, and a private key of any form.
  [/eyJ/u, /[\w-]{6,2000}(?:\.eyJ[\w-]{6,}(?:\.[\w-]*)?|(?:\.[\w-]*){4})/u],
  [/-----BEGIN/u, /[A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END[A-Z ]*PRIVATE KEY[A-Z ]*-----|$)/u],
  // The base64 of a private key or certificate.
  [/LS0tLS1CRUdJTi/u, /[\w+/=-]+/u],
  // Well-known prefixes; an access key of AWS may have its secret after it.
  [/A(?:3T[A-Z\d]|KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)/u, /[A-Z\d]{16}\b(?:[/:][\w+/]{40}\b)?/u],
  [
    /(?:gh[opsur]|github_pat|npm|ntn|hf|gsk|glsa|glc|lin_api|figd|dckr_pat|dop_v1|ops|sbp|tfp|nfp|bkua|rnd|r8|fo1|pscale|rubygems|CCIPAT)_/u,
    TOKEN_REST,
  ],
  [/(?:shp[a-z]{2}|vc[aikpr]|[rs]k|pk_(?!live|test)[\da-z]+|whsec|sntrys)_/u, TOKEN_REST],
  [
    /(?:gl[a-z]{2,5}|xox[a-z](?:\.xox[a-z])?|xapp|sk|pat-(?:na|eu)\d|xkeysib|PMAK|GOCSPX|NRAK|pul|sq0(?:atp|csp)|pypi|CFPAT|HRKU|pplx|xai|p8e|fio-u)-/u,
    TOKEN_REST,
  ],
  // A token that says so: `secret_…`, `access-production-…`, `shippo_live_…`.
  [
    /(?:secret|token|tkn|access|live|apikey)[_$-]/u,
    /(?<!pk_live_)(?:[a-z]{3,12}[_$-])?(?=[a-zA-Z]*\d)[\da-zA-Z](?:[\da-zA-Z]{15,}|[\da-f]{7}(?:-[\da-f]{4}){3}-[\da-f]{12})[\w$-]*/u,
  ],
  // Mailgun, Google's refresh tokens and codes, Facebook, Atlassian, Salesforce, Intercom.
  [
    /(?:key-(?=[\da-z]{32}\b)|1\/\/0|4\/0A|EAA[A-Z]|AT[AC]TT3|ATBB|00D[A-Za-z\d]{12,15}!|5Aep861|dG9rOj)/u,
    /[\w.=-]{16,}/u,
  ],
  [
    /(?:AIza|ya29\.|SG\.|hv[bsr]\.|dapi|AGE-SECRET-KEY-1|LTAI|AKID|EZAK|dp\.[a-z]{2}\.|sl\.(?=[\w-]{60}))/u,
    /[\w.-]{16,}/u,
  ],
  [/[\da-f]{32}-us(?=\d)/u, /\d{1,2}\b/u, /-us\d/u],
];

/** The same, where what is before them stays. */
const SHAPES_AFTER: typeof SHAPES = [
  [
    /\/\/hooks\.(?:slack(?:-gov)?|zapier)\.com\/|discord(?:app)?\.com\/api\/webhooks\//u,
    /[\w/-]+/u,
  ],
  // A part of a path that is a token by the part before it.
  [/\/(?:key|token|secret|reset-password|IncomingWebhook)\//u, /(?=[A-Za-z-]*\d)[\w-]{20,}/u],
  // A long second part: `1000.…` of Zoho, bots of Telegram, `pat….…` of Airtable.
  [
    /(?<!(?:sha-?\d{0,3}|md))\d[A-Za-z\d]{0,16}[.:](?=[\w-]{32})/u,
    /(?![\da-f]{8}(?:-[\da-f]{4}){3}-)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]+/u,
    /[.:][\w-]{32}/u,
  ],
  [/\.atlasv1\.|8Q~/u, /[\w.~-]{20,}/u],
  // What follows the scheme of a header, unless it is a word; the login of a URL, and of curl.
  [
    /(?<![A-Za-z])(?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s/u,
    /(?=.[\w.~+/=-]*[\d=A-Z]|[\w.~+/-]{20})[\w.~+/=-]{8,}/u,
  ],
  [/:\/\//u, /(?:[^\s/@"':]*:[^\s/"']+|[^\s/@"':]{16,})(?=@)/u, /:\/\/[^\s/]*@/u],
  [/\s(?:-u ?|--user[ =])["']?/u, /[^\s:"']+:[^\s"']*/u, /\s(?:-u|--user)/u],
  // The password of the program before it.
  [
    /\s(?:-u ?\S{1,60} -p ?|-passin pass:)|\bsshpass -p ?|\bredis-cli -a /u,
    /[^\s"']{4,}/u,
    / -p|redis-cli/u,
  ],
  [/(?:IDENTIFIED BY|identified by) ["']/u, /[^"']+/u],
  [/:thin:[^\s/@]{1,60}\//u, /[^\s/@]+(?=@)/u],
];

const BEGIN = new RegExp(
  [...SHAPES, ...SHAPES_AFTER].map(([begin, , quick = begin]) => quick.source).join("|"),
);
const SHAPE = new RegExp(
  [
    ...SHAPES.map(([begin, rest]) => START + begin.source + rest.source),
    ...SHAPES_AFTER.map(([begin, rest]) => `(?<=${begin.source})${rest.source}`),
  ].join("|"),
  "gu",
);

/** Quick tests that few texts pass: only such a text may have a secret name with its value. */
const MAY_PAIR = /[=>：＝→]|:(?!\/\/)|%(?:25)*3|--|\w -\w|["'],|\\u00|&(?:quot|gt);/;
/**
 * A name and what is between it and its value: in a query, in JSON and in JSON within JSON, in a
 * header, as an option.
 */
const NAMED =
  /(?:(?<![\w.\\%\u00c0-\u9fff\uac00-\ud7a3-]|<\/)|(?<=\\[nrt]|%[\dA-Fa-f]{2}|\\u00[\da-f]{2}))(?:--?(?<option>[\w-]{2,})\s+(?!-)|(?<name>(?:[\w.\u00c0-\u9fff\uac00-\ud7a3-]+ ){0,2}[\w.\u00c0-\u9fff\uac00-\ud7a3-]+)(?<close>(?:\\*["'`”]|[\])]|%(?:25)*(?:22|5[Dd])|&quot;)*)\s*(?<sign>[=-]>|→|\??=|[:：＝]|%(?:25)*3[ADad]|\\u003[ad])\s*(?:[|>][+-]?\s*\n\s*)?)/g;

/** What a name may have in place of a secret: nothing, a word, a template, a mask. */
const NO_SECRET =
  /^(?:$|\[redacted\]|(?:null|none|undefined|true|false|expired|invalid|missing|required|revoked|rejected|refused|denied|empty|unknown|not|is|was|must|has|cannot|oauth\d?|basic|bearer)(?![\w-])|[*x.…]+$|%s|\$?\{\{?|\$\(|<)/iu;

/** A word of a sentence that goes on, "token: refused by the provider", but not after a password. */
const PROSE = /^[A-Za-z]{1,15}[,.;]?\s+(?=[A-Za-z])(?!\S*\d)/u;
const NEVER_PROSE = /pass|pwd|secret|cookie/iu;
const ALWAYS_SECRET = /pass|pwd|pin$|otp|cvv|secret|code|wort|woord|senha/iu;
const PASSWORD = /ass|pwd|wort|woord|senha/iu;

/** The headers whose value is the rest of the line, and the schemes that are not part of a secret. */
const LINE = /(?:cookie|authorization)$/iu;
const SCHEME =
  /^(?:Bearer|Basic|Token|Digest|Negotiate|OAuth|ApiKey|AWS4-HMAC-SHA256|[A-Z][\w-]{1,30}(?=\s(?:\S{16}|\[redacted)))\s+/iu;

/** The words between the name of a secret and its value in a sentence. */
const SPOKEN =
  /(?<![\w.-])(?<name>(?:[\w-]+ )?[\w-]{0,40}?(?:pass|pwd|pin|otp|cvv|secret|token|key|code|wort|woord|senha|credential|session|signature|auth)[\w-]{0,20}(?: id)?)(?:\s+(?:provided|used|supplied|given)\s*[:=]\s*|["'`)]?\s+(?:(?:is|was|ist|lautet|est|of|from|with|provided|used|supplied|given|value)\s+){0,2})(?:(?<open>["'`“‘«[(<])(?<quoted>[^"'`”’»\])>\n]{4,200})["'`”’»\])>]|(?<plain>(?!(?:token|key|code|secret|password|id)\b)[^\s"'`,;:()<>[\]]{3,}))/gi;

/** A value before what it is: "482913 is your verification code". */
const SAID_BEFORE =
  /(?<![^\s"'`(])([^\s"'`,;:()]{4,})(?=["'`]?\s+is (?:not )?(?:your|a|an|no|the) (?:[\w-]+ ){0,2}[\w-]*(?:code|key|token|secret|password|otp|pin)\b)/gi;

/**
 * A name that a text quotes, and its value: `name="password" value="…"`, a part of a form, a pair
 * of a list; and the element of XML that has the name.
 */
const LABELLED =
  /\b(?:name|key|id|label)=(?<q>\\*["'])(?<label>[^"'\\<>]{2,60})\k<q>(?:\s+value=\\*["']|\s*\/?>\s*|(?:\s|\\r|\\n){2,6})(?<of>[^\s"'<\\]{4,})|<(?:name|key)>(?<tag>[^<]{2,60})<\/(?:name|key)>\s*<(?:value|string)>(?:<\w+>)?(?<text>[^<]{4,})|(?<p>["'])(?<first>[\w.-]{2,60})\k<p>\s*,\s*["'](?<second>[^\s"']{16,})|(?:<|&lt;)(?:[\w-]+:)?(?<element>[\w.-]+)(?:\s(?![^<>]*\b(?:name|key|id|label)=)[^<>]{0,300}?)?(?:>|&gt;)(?:<!\[CDATA\[)?(?<content>(?:(?!&lt;|\]\]>)[^<]){3,})/gi;

/** What is shorter is too likely to be a word. */
const MIN_SHAPE = 16;
/** A time or UUID, which most long texts of a list are. */
const HARMLESS = /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z?|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/iu;

/** Whether a text is a time or a UUID, as most long texts of a list are. */
export function isHarmless(text: string): boolean {
  return text.length >= MIN_SHAPE && HARMLESS.test(text);
}

/** Whether a text may have a secret by its shape; few texts pass. */
export function mayHaveShape(text: string): boolean {
  return text.length >= MIN_SHAPE && BEGIN.test(text);
}

/** Redacts what is secret by its shape. */
export function redactShapes(text: string): string {
  return text.replace(SHAPE, REDACTED);
}

/** Redacts what follows the name of a secret, in a sentence or as its value. */
export function redactNames(text: string): string {
  // The pattern of sentences takes long to compile, so it is left to texts with a space.
  let spoken = /\s/.test(text) ? text.replace(SPOKEN, redactSpoken) : text;
  if (spoken.includes(" is ")) spoken = spoken.replace(SAID_BEFORE, redactSaid);
  return MAY_PAIR.test(spoken) ? redactNamed(redactLabelled(spoken)) : spoken;
}

/** Whether a text is one random word: letters and digits mixed, and no time or UUID. */
export function looksRandom(text: string): boolean {
  return (
    text.length >= MIN_SHAPE &&
    text.length < 4_000 &&
    /^[\w+/=.~:!$-]+$/u.test(text) &&
    !HARMLESS.test(text) &&
    isRandom(text)
  );
}

/** The letters and digits that a random word mixes; those of names stand apart: `field_2_id`. */
export function isRandom(word: string): boolean {
  const plain = word.replace(/=+$/u, "");
  const parts = plain.split(/[_\-/+=.~:!$]/u).filter((part) => part !== "");
  const mixed = parts.filter((part) => /\d/u.test(part) && /[a-z]/iu.test(part));
  const letters = mixed.reduce((sum, part) => sum + part.length, 0);
  if (letters >= 8 && letters * 2 >= plain.length) return true;
  // Base64 of letters alone, and numbers that count nothing; words in CamelCase are neither.
  return parts.some(
    (part) =>
      (part.length >= 40 || (part.length >= 20 && /[a-z]/u.test(part) && /[A-Z]/u.test(part))) &&
      !isCamelCase(part),
  );
}

function isCamelCase(part: string): boolean {
  return /^[a-z]+$/iu.test(part) && part.replaceAll(/[^A-Z]/gu, "").length * 4 <= part.length;
}

/** What follows the name of a token or key in a sentence is a secret only if it looks like one. */
function redactSpoken(whole: string, ...found: unknown[]): string {
  const { name = "", quoted, plain = "" } = found.at(-1) as Readonly<Record<string, string>>;
  const value = quoted ?? plain;
  return isSpokenSecret(name, value, quoted !== undefined)
    ? whole.slice(0, whole.lastIndexOf(value)) +
        REDACTED +
        whole.slice(whole.lastIndexOf(value) + value.length)
    : whole;
}

function isSpokenSecret(name: string, value: string, isQuoted: boolean): boolean {
  if (/^\[?redacted/u.test(value) || NO_SECRET.test(value)) return false;
  const meaning = meaningOf(name);
  if (looksRandom(value)) return meaning !== "open" && meaning !== "page";
  if (!isSecretName(name)) return false;
  if (HARMLESS.test(value)) return !PASSWORD.test(name);
  if (!ALWAYS_SECRET.test(name)) return /^\d{4,8}$/u.test(value) && /2fa|mfa/iu.test(name);
  if (/^\d{4}-\d\d-/u.test(value)) return false;
  if (!PASSWORD.test(name)) return /\d/u.test(value);
  return isQuoted || /(?=\D*\d).{4}|[a-z][A-Z]|[!#$%&*?@^~]/u.test(value);
}

function redactSaid(whole: string, value: string): string {
  return looksRandom(value) || /^\d{4,8}$/u.test(value) ? REDACTED : whole;
}

function redactLabelled(text: string): string {
  if (!/=\\*["']|["'], ?["']|<|&lt;/.test(text)) return text;
  return text.replace(LABELLED, (whole, ...found) => {
    const {
      label,
      of,
      tag,
      text: content,
      first,
      second,
      element,
      content: inner,
    } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const name = label ?? tag ?? first ?? element ?? "";
    const value = of ?? content ?? second ?? inner ?? "";
    const isOne =
      meaningOf(name) === "unsure" || first !== undefined
        ? looksRandom(value) && meaningOf(name) !== "open"
        : isSecretName(name);
    return isOne && !NO_SECRET.test(value) ? whole.slice(0, -value.length) + REDACTED : whole;
  });
}

function redactNamed(text: string): string {
  let result = "";
  let done = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(NAMED)) {
    const from = index + whole.length;
    const { name = groups.option ?? "" } = groups;
    if (from < done || !mayName(name)) continue;
    const isUnsure = meaningOf(name) === "unsure";
    if (!isUnsure && !isSecretName(name)) continue;
    const [start, end] = valueAt(text, from, whole, groups);
    const value = text.slice(start, end);
    if (isUnsure ? !looksRandom(value) : NO_SECRET.test(value)) continue;
    if (groups.option !== undefined && /^[A-Z_]+$/u.test(value)) continue;
    const [scheme = ""] = SCHEME.exec(value) ?? [];
    result += text.slice(done, start + scheme.length) + REDACTED;
    done = end;
  }
  return result + text.slice(done);
}

const CLOSING: Readonly<Record<string, string>> = { "“": "”", "„": "“", "‘": "’", "«": "»" };

/** The place of the value that follows a name; an empty one if it is a word of a sentence. */
function valueAt(
  text: string,
  from: number,
  whole: string,
  { name = "", close, sign }: Readonly<Record<string, string | undefined>>,
): [number, number] {
  const [quote = ""] =
    /^(?:\\*["'`]|%(?:25)*22|&quot;|[“„‘«])/u.exec(text.slice(from, from + 40)) ?? [];
  const start = from + quote.length;
  if (quote !== "") return [start, endOfQuoted(text, start, CLOSING[quote] ?? quote)];
  if (/^(?:\[|\{(?!\{))/u.test(text.slice(start, start + 2))) {
    return [start, endOfJson(text, start) ?? text.length];
  }
  const ending = (pattern: RegExp): [number, number] => {
    pattern.lastIndex = start;
    return [start, start + (pattern.exec(text)?.[0].length ?? 0)];
  };
  if (sign === ":" && close === "") {
    const isLine = LINE.test(name);
    if (isLine && /(?:Digest|OAuth|Hawk)\s/iuy.test(text.slice(start, start + 8))) {
      return ending(/[^\r\n]*/uy);
    }
    const isSentence = /\s$/u.test(whole) && PROSE.test(text.slice(start, start + 80));
    if (isSentence && !NEVER_PROSE.test(name)) return [start, start];
    if (isLine) return ending(/(?:Bearer|Basic|Token)\s+[^\s"'\\]+|[^\r\n"'\\]*/iuy);
  }
  return ending(/(?:(?:Bearer|Basic|Token)\s+)?[^\s"'`&,;<>}\\]*/iuy);
}

/** The end of a quoted text: a quote inside it has more backslashes before it. */
function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (!/["'`]$/u.test(quote) || text[at - 1] !== "\\" || at === from) return at;
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
