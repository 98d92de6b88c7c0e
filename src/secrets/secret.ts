/** The text that replaces a secret. */
export const REDACTED = "[redacted]";

/** The place from which a secret can be read again. */
export type SecretReference =
  | { readonly from: "env"; readonly name: string }
  | { readonly from: "file"; readonly path: string };

/**
 * A secret that does not show itself as text, in JSON, or when it is inspected. Creating one
 * registers it with {@link redactSecrets}.
 */
export class Secret {
  readonly #value: string;
  /** The reference; absent for a secret that was typed, piped in or saved by amp. */
  readonly reference: SecretReference | undefined;

  constructor(value: string, reference?: SecretReference) {
    this.#value = value;
    this.reference = reference;
    registerSecret(value);
  }

  /** A value that is used as a secret but may be shown, such as the public key of the sandbox. */
  static published(value: string): Secret {
    publicValues.add(value);
    return new Secret(value);
  }

  /** The value: for the request that needs it, a file of secrets, and `amp auth token`. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  // The symbol is looked up by its registered name: importing node:util takes milliseconds.
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

/** The minimum length; shorter values are likely to be words of prose. */
const MIN_LENGTH = 4;

/**
 * Every secret of this process with its replacement. The variable is global, because code that
 * leaks a secret has no context.
 */
const registered = new Map<string, string>();
/** Each form in which a secret may appear, made for the first text: most runs redact none. */
let longestFirst: readonly (readonly [form: string, shown: string])[] | undefined;

const publicValues = new Set<string>();
/** Values that only look like secrets. */
const guesses = new Set<string>();
const publicNames = new Set<string>();

/**
 * Keeps the names of resources readable, which others see and commands need: those that equal a
 * secret, and those that contain what only looks like one.
 */
export function publishNames(names: Iterable<string>): void {
  for (const name of names) publicNames.add(name);
  longestFirst = undefined;
}

/** Redacts a value that looks like a secret, unless a published name contains it. */
export function registerGuess(value: string): void {
  if (registered.has(value)) return;
  registerSecret(value);
  guesses.add(value);
}

/** The minimum length of a line of a key or certificate; shorter ones are likely to be words. */
const MIN_LINE_LENGTH = 16;

/** Redacts a value in all later output, and each long line of a value with several lines. */
export function registerSecret(value: string, shown: string = REDACTED): void {
  // A published name may have kept a guess readable, and keeps no secret so.
  if (guesses.delete(value)) longestFirst = undefined;
  if (value.length < MIN_LENGTH || registered.has(value) || publicValues.has(value)) return;
  registered.set(value, shown);
  longestFirst = undefined;
}

/** Variables often hold the line breaks of a key as `\n`, which a service turns into real ones. */
const LINE_BREAK = /\r\n|[\r\n]|\\r\\n|\\[rn]/u;

/** The parts to redact: the whole, also with other line ends or on one line, and each line. */
function partsOf(value: string): string[] {
  const lines = value.split(LINE_BREAK).map((line) => line.trim());
  if (lines.length === 1) return [value];
  const long = lines.filter((line) => line.length >= MIN_LINE_LENGTH);
  return [value, ...["\n", "\r\n", " "].map((end) => lines.join(end).trim()), ...long];
}

/** The forms of a value: unchanged, and as a service, a log or a URL would write it. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    bytes.toString("base64url"),
    bytes.toString("base64"),
    // Some programs omit the padding.
    bytes.toString("base64").replace(/=+$/u, ""),
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams([["", value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ];
}

/** The forms of all secrets, longest first: one secret may be a part of another. */
function registeredForms(): NonNullable<typeof longestFirst> {
  const forms = new Map<string, string>();
  const names = [...publicNames].join("\n");
  for (const [value, shown] of registered) {
    const isName = publicNames.has(value) || (guesses.has(value) && names.includes(value));
    if (isName || forms.has(value)) continue;
    for (const form of partsOf(value).flatMap(formsOf)) forms.set(form, shown);
  }
  return [...forms].sort(([one], [other]) => other.length - one.length);
}

/** Forgets every registered secret. Only tests need it: several share a process. */
export function forgetSecrets(): void {
  registered.clear();
  guesses.clear();
  publicNames.clear();
  longestFirst = undefined;
}

/**
 * Copies a value without the registered secrets, in texts and in keys of objects. Errors, notices
 * and `--debug` need it, because they all end in terminals and logs.
 */
export function redactSecrets<Value>(value: Value): Value {
  return (registered.size === 0 ? value : visit(value, "data")) as Value;
}

/**
 * A line that amp composed, without the registered secrets. What others say in it was redacted
 * where it came in, so a secret that is a word of prose is left among amp's own: hidden there, it
 * would be told.
 */
export function redactLine(text: string): string {
  return registered.size === 0 ? text : redactText(text, true);
}

/**
 * Copies a page or another thing that amp lays out, without the registered secrets, each text as by
 * {@link redactLine}. Its keys and kinds stay: they are words of amp's own, such as `text`.
 */
export function redactLayout<Layout>(layout: Layout): Layout {
  return (registered.size === 0 ? layout : visit(layout, "layout")) as Layout;
}

/**
 * Copies the facts of an error without the registered secrets. Their names stay as those of a
 * layout do, but for the names that the service gives.
 */
export function redactFacts<Facts extends object>(facts: Facts): Facts {
  if (registered.size === 0) return facts;
  const copied = Object.entries(facts).map(([name, value]) => {
    if (name === OWN_FACT) return [name, value];
    return [name, visit(value, OPEN_FACTS.has(name) ? "data" : "facts")];
  });
  return Object.fromEntries(copied) as Facts;
}

/** What was done and what was not, in amp's words: a secret may be one of these. */
const OWN_FACT = "done";
const OPEN_FACTS: ReadonlySet<string> = new Set(["data", "problem"]);

/** The fields of a layout that hold one of amp's own words. */
const WORD_FIELDS: ReadonlySet<string> = new Set(["kind", "tone", "state"]);

/** Whose the keys and texts of a value are: others', amp's keys alone, or all of amp. */
type Owner = "data" | "facts" | "layout";

function visit(value: unknown, owner: Owner): unknown {
  if (typeof value === "string") return redactText(value, owner === "layout");
  if (Array.isArray(value)) return value.map((item) => visit(item, owner));
  // Instances of classes stay: a Secret hides itself, and a Date has no secret.
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (owner === "data") return [redactText(key), visit(item, owner)];
      return [key, WORD_FIELDS.has(key) ? item : visit(item, owner)];
    }),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** @param isOwn whether amp composed the text */
function redactText(text: string, isOwn = false): string {
  longestFirst ??= registeredForms();
  let result = text;
  for (const [form, shown] of longestFirst) {
    if (!result.includes(form)) continue;
    const asValue = isOwn && WORD.test(form) ? asValuePattern(form) : form;
    result = result.replaceAll(asValue, () => shown);
  }
  return HIDDEN.test(result) ? redactSpread(result, longestFirst) : result;
}

/** A word of prose: a random secret of so few letters is not one to expect. */
const WORD = /^\p{L}\p{Ll}{3,11}$/u;

/** A word where it is a value: in quotes, in an address, after `=`; not between spaces and stops. */
function asValuePattern(word: string): RegExp {
  const beside = `(?<=[^\\s(])${word}|${word}(?=[^\\s.,;:!?)]|[.:]\\S)`;
  return new RegExp(`(?<!\\p{L})(?:${beside})(?!\\p{L})`, "gu");
}

/**
 * Characters that are invisible or shown as an escape. Within a secret they would hide it from amp.
 */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** The minimum length: a shorter secret may occur over a line break by chance. */
const MIN_SPREAD_LENGTH = 8;

/** Redacts secrets with invisible characters between their own. */
function redactSpread(text: string, forms: NonNullable<typeof longestFirst>): string {
  const visible = text.replace(new RegExp(HIDDEN, "gu"), "");
  return forms
    .filter(([form]) => form.length >= MIN_SPREAD_LENGTH && visible.includes(form))
    .reduce((rest, [form, shown]) => rest.replace(spreadPattern(form), () => shown), text);
}

function spreadPattern(form: string): RegExp {
  const characters = Array.from(form, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
  return new RegExp(characters.join(`${HIDDEN.source}*`), "gu");
}

/**
 * The command line for a log or lock that others read. It keeps only the beginning of a URL, of
 * `key=value` and of JSON: a webhook's URL and a header may be secrets.
 */
export function redactedCommandLine(argv: readonly string[]): string {
  const words = argv.map((word) => word.replace(/(=|:\/\/|^\s*[{[]).+$/su, "$1…"));
  return redactSecrets(["amp", ...words].join(" "));
}
