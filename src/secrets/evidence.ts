import { DEEPER_VALUE, MAX_DEPTH, redactAnswer } from "./answer.ts";
import { cleanText, keysText, type RedactionKind, type TextRules } from "./evidence-text.ts";
import { REDACTED } from "./secret.ts";

/** A value that was taken out of evidence, by its place. */
export interface Redaction {
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
export interface CleanEvidence {
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
 */
export function cleanEvidence(parts: readonly EvidencePart[]): CleanEvidence {
  const people = new Set<string>();
  const known = new Set<string>();
  for (const { body } of parts) collect(body, people, known);
  const rules = { people: [...people].sort((a, b) => b.length - a.length), known };
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
