import { addressSecrets } from "./address.ts";
import { DEEPER_VALUE, MAX_DEPTH, redactAnswer, redactQuoted } from "./answer.ts";
import { endOfJson, isRandom } from "./recognised.ts";
import { REDACTED, redactSecrets } from "./secret.ts";

/** A value that was taken out of evidence, by its place. */
interface Redaction {
  /** The place: the request, and the dotted path in its answer. */
  readonly where: string;
  readonly kind: RedactionKind;
}

/** One answer of a service to hand on. */
export interface EvidencePart {
  /** The request, for the places of redactions. */
  readonly where: string;
  readonly body: unknown;
  /**
   * `log`: lines that may quote a customer's records; `prose`: results in sentences; `public`: what
   * anybody may read.
   */
  readonly holds: "records" | "prose" | "log" | "public";
  /** Whether it repeats another part, so that what is taken out of it is not named. */
  readonly isCopy?: boolean;
}

/** Answers without what must not be handed on. */
interface CleanEvidence {
  readonly bodies: readonly unknown[];
  readonly redactions: readonly Redaction[];
}

/**
 * The maximum number of redactions that are named by their place; the rest is beyond any reader.
 */
const MAX_NAMED = 20_000;

/** The fields of a log's message that are not a customer's record. */
const LOG_FIELDS = new Set(["message", "details", "error"]);

/**
 * Takes out of answers what must not leave with them: credentials by the names and shapes of
 * secrets, names of consumers, e-mail addresses, the secret parts of URLs; and in logs random text
 * and records, of which the keys are kept. The input is not changed.
 * @param others the names, refs and IDs of other customers, which no log may have
 */
export function cleanEvidence(
  parts: readonly EvidencePart[],
  others: ReadonlySet<string> = new Set(),
): CleanEvidence {
  const people = new Set<string>();
  const known = new Set<string>();
  for (const { body } of parts) collect(body, people, known);
  const rules = {
    people: [...people].sort((a, b) => b.length - a.length),
    known,
    others: Map.groupBy(
      [...others].filter((name) => name.length >= MIN_NAME),
      (name) => NAME_START.exec(name)?.[0] ?? "",
    ),
  };
  const redactions: Redaction[] = [];
  const bodies = parts.map(({ where, body, holds, isCopy = false }) => {
    const note = (path: string, kind: RedactionKind) => {
      if (!isCopy && redactions.length < MAX_NAMED)
        redactions.push({ where: `${where} ${path}`.trim(), kind });
    };
    const walk = {
      rules: {
        ...rules,
        isProse: holds === "log" || holds === "prose",
        isPublic: holds === "public",
      },
      isLog: holds === "log",
      note,
    };
    return clean(redactAnswer(body), "", "", walk, 0);
  });
  return { bodies, redactions };
}

interface Walk {
  readonly rules: TextRules;
  readonly isLog: boolean;
  readonly note: (path: string, kind: RedactionKind) => void;
}

/** The minimum length of a name to look for in texts; a shorter one is a part of words. */
const MIN_NAME = 4;

/** Collects the names of consumers, and the IDs by which the records of the evidence are known. */
function collect(value: unknown, people: Set<string>, known: Set<string>, depth = 0): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== "string") collect(item, people, known, depth + 1);
    else if (isPersonField(key) && item.trim().length >= MIN_NAME) people.add(item.trim());
    else if (/(?:^id|Id|_id|Ref)$/u.test(key)) known.add(item);
  }
}

function isPersonField(key: string): boolean {
  return key === "consumerName";
}

function clean(value: unknown, path: string, key: string, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return cleanField(value, path, key, walk);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return DEEPER_VALUE;
  // Fields of a log line beyond its own are likely to be a record of the customer.
  if (walk.isLog && depth >= 2 && !LOG_FIELDS.has(key)) {
    walk.note(path, "record");
    return keysText(value);
  }
  if (Array.isArray(value)) {
    return value.map((item, at) => clean(item, `${path}[${at}]`, "", walk, depth + 1));
  }
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const place = path === "" ? name : `${path}.${name}`;
    const { text, taken } = cleanText(name, { ...walk.rules, isProse: false });
    for (const kind of taken) walk.note(path, kind);
    return [text, clean(item, taken.length > 0 ? path : place, name, walk, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function cleanField(value: string, path: string, key: string, walk: Walk): string {
  if (value === REDACTED) {
    walk.note(path, "credential");
    return value;
  }
  if (isPersonField(key) && value !== "") {
    walk.note(path, "consumer name");
    return REDACTED;
  }
  const { text, taken } = cleanText(value, walk.rules);
  for (const kind of taken) walk.note(path, kind);
  return text;
}

/** The kinds of data that are taken out of evidence. */
type RedactionKind =
  | "credential"
  | "consumer name"
  | "other customer"
  | "email address"
  | "card number"
  | "phone number"
  | "part of a URL"
  | "random text"
  | "record"
  | "end of a long text";

/** A text without what must not be handed on, and the kind of each part that was taken out. */
interface CleanText {
  readonly text: string;
  readonly taken: readonly RedactionKind[];
}

interface TextRules {
  /** The names of people, which are taken out wherever they occur. */
  readonly people: readonly string[];
  /** The names of other customers, by the word with which each begins. */
  readonly others: ReadonlyMap<string, readonly string[]>;
  /** The IDs of the evidence itself, which are never random text. */
  readonly known: ReadonlySet<string>;
  /** Whether a program wrote the text for people, so that it may quote anything, as in a log. */
  readonly isProse: boolean;
  /** Whether anybody may read the text but credentials, such as a provider's documentation. */
  readonly isPublic?: boolean;
}

/** The maximum length of a line of a log. */
const MAX_LINE = 500;

const URLS = /\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>\\]+/giu;

/** Personal data by its form. A number in a record may be anything: there, phones are only counted. */
const PERSONAL: readonly {
  readonly kind: "email address" | "card number" | "phone number";
  readonly pattern: RegExp;
  readonly isOne?: (found: string) => boolean;
  readonly isProse?: boolean;
}[] = [
  {
    kind: "email address",
    pattern: /[\p{L}\p{N}._%+-]{1,64}(?:@|%40)[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,6}/gu,
  },
  {
    kind: "card number",
    pattern: /(?<![\w.-])[2-6](?:[ -]?\d){12,18}(?![\w.-]\w)/gu,
    isOne: isCard,
  },
  {
    kind: "phone number",
    pattern:
      /(?<![\w.:/-])(?:\+\d{1,3}[ .()-]{0,2}|\(0?\d{2,4}\) ?|0\d{2,4}[ /-])\d[\d ()/.-]{5,12}\d(?![\w-])/gu,
    isProse: true,
  },
];

/** The kinds of personal data that a text has, once for each of them. */
export function personalIn(text: string): string[] {
  return PERSONAL.flatMap(({ kind, pattern, isOne = () => true }) =>
    (text.match(pattern) ?? []).filter(isOne).map(() => kind),
  );
}

/** Whether digits are those of a payment card, by their check digit (Luhn). */
function isCard(found: string): boolean {
  const digits = found.replaceAll(/\D/gu, "").split("").reverse().map(Number);
  const sum = digits.reduce((all, digit, at) => {
    const double = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    return all + (at % 2 === 1 ? double : digit);
  }, 0);
  return digits.length >= 13 && sum % 10 === 0;
}

/** The beginning of a name: its first word. */
const NAME_START = /^[\p{L}\p{N}]*/u;

const isWordAt = (text: string, at: number) => /^[\p{L}\p{N}]/u.test(text.slice(at, at + 2));

/** The text without the names of other customers, also of many: each word is looked up. */
function withoutOthers(text: string, others: TextRules["others"], found: () => void): string {
  if (others.size === 0) return text;
  let result = "";
  let done = 0;
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const name = others
      .get(word)
      ?.find((one) => text.startsWith(one, index) && !isWordAt(text, index + one.length));
    if (name === undefined || index < done) continue;
    found();
    result += text.slice(done, index) + REDACTED;
    done = index + name.length;
  }
  return result + text.slice(done);
}
const WORDS = /[\w+/-]{20,}={0,2}/gu;

/** What is before the ID of a request or the hash of a commit, which those who investigate need. */
const AFTER_ID =
  /(?:\b(?:commit|etag|revision|sha-?\d*)|(?:request|trace|span|correlation)[\s_-]?(?:id)?)["']?[\s:=#]{0,3}["']?$/iu;

/** Takes out of a text what must not be handed on. */
function cleanText(text: string, rules: TextRules): CleanText {
  const taken: RedactionKind[] = [];
  // The text that is cut off need not be searched, but a word that the cut divides is.
  let rest = rules.isProse ? text.slice(0, 4 * MAX_LINE) : text;
  const swap = (kind: RedactionKind, from: string, to: string) => {
    if (from !== to) taken.push(kind);
    return to;
  };
  const own = redactSecrets(rest);
  rest = swap("credential", rest, own);
  rest = swap("credential", rest, redactQuoted(rest));
  if (rules.isProse) rest = withoutRecords(rest, () => taken.push("record"));
  if (rules.isPublic) {
    rest = rest.replaceAll(URLS, (url) => swap("part of a URL", url, withoutUser(url)));
    return { text: rest, taken };
  }
  rest = rest.replaceAll(URLS, (url) => swap("part of a URL", url, cleanUrl(url)));
  for (const { kind, pattern, isOne = () => true, isProse } of PERSONAL) {
    if (isProse && !rules.isProse) continue;
    rest = rest.replaceAll(pattern, (found) =>
      isOne(found) ? swap(kind, found, REDACTED) : found,
    );
  }
  for (const person of rules.people)
    rest = swap("consumer name", rest, rest.replaceAll(person, REDACTED));
  if (!rules.isProse) return { text: rest, taken };
  rest = withoutOthers(rest, rules.others, () => taken.push("other customer"));
  rest = rest.replaceAll(WORDS, (word, at: number, whole: string) => {
    if (!isRandom(word) || rules.known.has(word)) return word;
    const isId = AFTER_ID.test(whole.slice(Math.max(0, at - 24), at));
    return isId ? word : swap("random text", word, REDACTED);
  });
  if (rest.length <= MAX_LINE) return { text: rest, taken };
  taken.push("end of a long text");
  return { text: `${rest.slice(0, MAX_LINE).replace(/\p{Surrogate}$/u, "")}…`, taken };
}

/** A URL without user name, password, query, fragment and the parts of its path that are tokens. */
function cleanUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return REDACTED;
  const [whole = ""] = address.split(/[?#]/u);
  const plain = withoutUser(whole);
  const rest = address.slice(whole.length);
  const tail = rest.length > 1 ? `${rest.slice(0, 1)}${REDACTED}` : rest;
  const cleaned = addressSecrets(whole)
    .filter((part) => plain.includes(part))
    .reduce((text, part) => text.replaceAll(part, () => REDACTED), plain);
  return `${cleaned}${tail}`;
}

function withoutUser(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/iu, `$1${REDACTED}@`);
}

/** The text with each JSON object in it replaced by its keys: it may be a customer's record. */
function withoutRecords(text: string, found: () => void): string {
  let rest = text;
  let result = "";
  for (;;) {
    const at = rest.search(/[{[]\s*["'{[]/u);
    if (at < 0) return result + rest;
    const end = endOfJson(rest, at);
    const json = end === undefined ? undefined : parsed(rest.slice(at, end));
    found();
    // An object that is cut off, as a logger does, may hold as much as a whole one.
    if (end === undefined) return `${result}${rest.slice(0, at)}{…}`;
    result += rest.slice(0, at) + (json === undefined ? "{…}" : keysText(json));
    rest = rest.slice(end);
  }
}

/** The keys of a record in the place of it: `{email, name}`. */
function keysText(record: object): string {
  const first = Array.isArray(record) ? record.find((one) => typeof one === "object") : record;
  const keys = typeof first === "object" && first !== null ? Object.keys(first) : [];
  const named = keys.map((key) => (/^[\w.-]{1,60}$/u.test(key) ? key : REDACTED));
  const shown = named.length > 20 ? [...named.slice(0, 20), "…"] : named;
  return Array.isArray(record)
    ? `[${record.length} × {${shown.join(", ")}}]`
    : `{${shown.join(", ")}}`;
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
