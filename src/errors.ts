/** Every way in which `amp` can end: the one table of exit codes. */
export const EXIT = {
  ok: { code: 0, meaning: "ok" },
  unexpected: { code: 1, meaning: "unexpected failure" },
  usage: { code: 2, meaning: "usage or invalid input" },
  "not-found": { code: 3, meaning: "not found" },
  auth: { code: 4, meaning: "authentication or permission" },
  conflict: { code: 5, meaning: "conflict: name taken by something else, ambiguous, locked" },
  rejected: { code: 6, meaning: "rejected by the service" },
  service: { code: 7, meaning: "service or network failure" },
  check: { code: 8, meaning: "a check did not hold, or changes are pending" },
  partial: { code: 9, meaning: "partly applied, or an outcome unknown" },
  timeout: { code: 124, meaning: "timed out" },
  interrupted: { code: 130, meaning: "interrupted" },
  terminated: { code: 143, meaning: "terminated" },
} as const satisfies Record<string, { code: number; meaning: string }>;

/** A row of {@link EXIT}; also the stable `code` of an error in JSON output. */
export type ExitName = keyof typeof EXIT;

/** One invalid input, as an Input Validation Issue of the service names it (spec part 7). */
export interface InputIssue {
  /** Where the input travelled: body, header, path or query; other values are passed on. */
  in?: string;
  name?: string;
  value?: unknown;
  detail?: string;
  /** The option or argument of the command that carried the input; absent when none is known. */
  flag?: string;
}

/** What an error can tell beyond its message. Every field is optional; absent means not known. */
export interface ErrorFacts {
  /** The server's own explanation of this occurrence. */
  detail?: string;
  /** How to resolve it, in a sentence. */
  remedy?: string;
  /** The next command to type. */
  suggestion?: string;
  /** What was and what was not done. Required sense: a reader knows what exists now. */
  done?: string;
  /** HTTP status of the answer. */
  status?: number;
  /** Problem type URI, and the URL of its documentation. */
  type?: string;
  href?: string;
  title?: string;
  /** The service's request identifier; may hold any characters. */
  requestId?: string;
  /** What amp has called the request, sent along as X-Request-Id. */
  clientRequestId?: string;
  retryable?: boolean;
  /** RFC 3339 time before which a retry makes no sense. */
  retryAfter?: string;
  issues?: readonly InputIssue[];
  causes?: readonly string[];
  /** Further machine-readable facts for JSON output, for example the records that exist already. */
  data?: Readonly<Record<string, unknown>>;
}

/** The root of all errors that amp throws on purpose. Anything else is a defect and exits 1. */
export abstract class AmpError extends Error {
  abstract readonly exit: ExitName;
  #facts: ErrorFacts;

  constructor(message: string, facts: ErrorFacts = {}, options?: ErrorOptions) {
    super(message, options);
    this.#facts = facts;
  }

  get facts(): ErrorFacts {
    return this.#facts;
  }

  /** Adds what the layer that it passes through knows; the same error comes back. */
  with(facts: ErrorFacts): this {
    this.#facts = { ...this.#facts, ...facts };
    return this;
  }
}

/** The command line, a file or a setting is wrong; nothing was sent. */
export class UsageError extends AmpError {
  override readonly name = "UsageError" as const;
  readonly exit = "usage" as const;
}

/** The thing that was asked for does not exist. */
export class NotFoundError extends AmpError {
  override readonly name = "NotFoundError" as const;
  readonly exit = "not-found" as const;
}

/** No credential, a refused one, or one that may not do this. */
export class AuthError extends AmpError {
  override readonly name = "AuthError" as const;
  readonly exit = "auth" as const;
}

/** A name taken by something else, an ambiguous reference, or a lock that another run holds. */
export class ConflictError extends AmpError {
  override readonly name = "ConflictError" as const;
  readonly exit = "conflict" as const;
}

/** The service understood the request and refused it. */
export class RejectedError extends AmpError {
  override readonly name = "RejectedError" as const;
  readonly exit = "rejected" as const;
}

/** The service failed, could not be reached, or answered something that is no answer. */
export class ServiceError extends AmpError {
  override readonly name = "ServiceError" as const;
  readonly exit = "service" as const;
}

/** A check did not hold. */
export class CheckError extends AmpError {
  override readonly name = "CheckError" as const;
  readonly exit = "check" as const;
}

/** Some of what was asked was done, or it is not known whether it was. */
export class PartialError extends AmpError {
  override readonly name = "PartialError" as const;
  readonly exit = "partial" as const;
}

/** No answer in time; for a write, see {@link PartialError}: its outcome is unknown then. */
export class TimeoutError extends AmpError {
  override readonly name = "TimeoutError" as const;
  readonly exit = "timeout" as const;
}

/** Ctrl-C, at a prompt or in the middle of work. */
export class InterruptedError extends AmpError {
  override readonly name = "InterruptedError" as const;
  readonly exit = "interrupted" as const;
}

/** SIGTERM or SIGHUP: the usual end of a cancelled CI job that still gets a moment. */
export class TerminatedError extends AmpError {
  override readonly name = "TerminatedError" as const;
  readonly exit = "terminated" as const;
}

/** Standard output takes no more, for example because its disk is full. */
export class OutputError extends AmpError {
  override readonly name = "OutputError" as const;
  readonly exit = "unexpected" as const;
}
