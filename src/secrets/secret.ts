/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Where a secret can be read again. */
export type SecretReference =
  | { readonly from: "env"; readonly name: string }
  | { readonly from: "file"; readonly path: string };

/**
 * A secret in hand: it does not show itself, not as text, not in JSON, not when it is inspected. With
 * the first sight of it, {@link redactSecrets} knows it, too.
 */
export class Secret {
  readonly #value: string;
  /** Absent: typed, piped in or saved by amp. */
  readonly reference: SecretReference | undefined;

  constructor(value: string, reference?: SecretReference) {
    this.#value = value;
    this.reference = reference;
    registerSecret(value);
  }

  /** One that is no secret, such as the key that documentation names: it is used as one, and may be shown. */
  static published(value: string): Secret {
    publicValues.add(value);
    return new Secret(value);
  }

  /** The secret itself; for the request that carries it, a file of secrets, and `amp auth token`. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  // By its registered name, for importing node:util costs milliseconds.
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}

/** Shorter ones are a word of prose sooner than a secret. */
const MIN_LENGTH = 4;

/**
 * Every secret that this process has seen, in each form in which it may come back, and what is shown
 * in its place. Of the process and not of a run, because what leaks a secret knows of no run.
 */
const registered = new Map<string, string>();
let longestFirst: readonly (readonly [form: string, shown: string])[] | undefined;

const publicValues = new Set<string>();

/** Has a value kept from all that is said from now on. */
export function registerSecret(value: string, shown: string = REDACTED): void {
  if (value.length < MIN_LENGTH || registered.has(value) || publicValues.has(value)) return;
  for (const form of formsOf(value)) registered.set(form, shown);
  longestFirst = undefined;
}

/** As it is, and as a service, a log or a URL would write it. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    bytes.toString("base64url"),
    bytes.toString("base64"),
    // A reader may leave its padding out.
    bytes.toString("base64").replace(/=+$/u, ""),
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams([["", value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
  ];
}

/**
 * A copy in which no text, and no key of an object, holds a secret that this process has seen. For
 * errors, for what is said on the way, and for `--debug`: all of that ends in terminals and logs.
 */
export function redactSecrets<Value>(value: Value): Value {
  return (registered.size === 0 ? value : visit(value)) as Value;
}

function visit(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(visit);
  // A secret shows itself to nobody, and a time is none.
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactText(key), visit(item)]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function redactText(text: string): string {
  // One secret may be a part of another.
  longestFirst ??= [...registered].sort(([one], [other]) => other.length - one.length);
  let result = text;
  for (const [form, shown] of longestFirst) {
    if (result.includes(form)) result = result.replaceAll(form, () => shown);
  }
  return result;
}

/**
 * The command line for a log or a lock that others read. Of an address, of `key=value` and of JSON,
 * only the beginning is told: a webhook's URL or a header may open something.
 */
export function redactedCommandLine(argv: readonly string[]): string {
  const words = argv.map((word) => word.replace(/(=|:\/\/|^\s*[{[]).+$/su, "$1…"));
  return redactSecrets(["amp", ...words].join(" "));
}
