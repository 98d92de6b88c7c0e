/** What stands in place of a secret. */
export const REDACTED = "[redacted]";

/** Where a secret can be read again. */
export type SecretReference =
  | { readonly from: "env"; readonly name: string }
  | { readonly from: "file"; readonly path: string };

/**
 * A secret in hand: it does not show itself, not as text, not in JSON, not when it is inspected. With
 * the first sight of it, {@link withoutSecrets} knows it, too.
 */
export class Secret {
  readonly #value: string;
  /** Absent: typed, piped in or saved by amp. */
  readonly reference: SecretReference | undefined;

  constructor(value: string, reference?: SecretReference) {
    this.#value = value;
    this.reference = reference;
    learnSecret(value);
  }

  /** One that is no secret, such as the key that documentation names: it is used as one, and may be shown. */
  static published(value: string): Secret {
    published.add(value);
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
const SHORTEST = 4;

/**
 * Every secret that this process has seen, in each form in which it may come back, and what is shown
 * in its place. Of the process and not of a run, because what leaks a secret knows of no run.
 */
const known = new Map<string, string>();
let longestFirst: readonly (readonly [form: string, shown: string])[] | undefined;

const published = new Set<string>();

/** Has a value kept from all that is said from now on. */
export function learnSecret(value: string, shown: string = REDACTED): void {
  if (value.length < SHORTEST || known.has(value) || published.has(value)) return;
  for (const form of formsOf(value)) known.set(form, shown);
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
export function withoutSecrets<Value>(value: Value): Value {
  return (known.size === 0 ? value : visit(value)) as Value;
}

function visit(value: unknown): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map(visit);
  // A secret shows itself to nobody, and a time is none.
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), visit(item)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function clean(text: string): string {
  // One secret may be a part of another.
  longestFirst ??= [...known].sort(([one], [other]) => other.length - one.length);
  let result = text;
  for (const [form, shown] of longestFirst) {
    if (result.includes(form)) result = result.replaceAll(form, () => shown);
  }
  return result;
}
