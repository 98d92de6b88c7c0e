const HIDDEN = "[redacted]";

/** A secret that does not show itself: not as text, not in JSON, not when it is inspected. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself; for a header, a file of secrets, and `amp auth token`. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  // By its registered name, for importing node:util costs milliseconds.
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return HIDDEN;
  }
}
