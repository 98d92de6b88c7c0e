/** Where a secret can be read again. */
export type SecretReference =
  | { readonly from: "env"; readonly name: string }
  | { readonly from: "file"; readonly path: string };

/** A secret in hand. However it is printed, it does not show. */
export class Secret {
  readonly #value: string;
  /** Absent: typed or piped in, and gone when amp ends. */
  readonly reference: SecretReference | undefined;

  constructor(value: string, reference?: SecretReference) {
    this.#value = value;
    this.reference = reference;
  }

  /** The secret itself, for the request that carries it and nothing else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[redacted]";
  }
}

/** Secrets of one destination, by the service's names for them. */
export type Secrets = Readonly<Record<string, Secret>>;

/** Names for variables that stand in for what may not be shown; no two parts get the same. */
export function variableNames(): (...parts: readonly string[]) => string {
  const owners = new Map<string, string>();
  return (...parts) => {
    const owner = JSON.stringify(parts);
    const base = snake(parts);
    let name = base;
    for (let count = 2; (owners.get(name) ?? owner) !== owner; count += 1)
      name = `${base}_${count}`;
    owners.set(name, owner);
    return name;
  };
}

/** `ops-stream`, `awsSecretKey` -> `OPS_STREAM_AWS_SECRET_KEY`. */
function snake(parts: readonly string[]): string {
  const words = parts
    .map((part) => part.replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2"))
    .join("_")
    .replaceAll(/[^A-Za-z\d]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "")
    .toUpperCase();
  return /^[A-Z]/u.test(words) ? words : `AMP_${words || "SECRET"}`;
}
