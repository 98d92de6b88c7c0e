import type { Suggestion } from "./values/suggested-command.ts";

/** The one table of exit codes. */
export const EXIT = {
  ok: { code: 0, meaning: "ok" },
  unexpected: { code: 1, meaning: "unexpected failure" },
  usage: { code: 2, meaning: "invalid usage or input" },
  "not-found": { code: 3, meaning: "not found" },
  auth: { code: 4, meaning: "authentication or permission" },
  conflict: { code: 5, meaning: "conflict: name already taken, ambiguous or locked" },
  rejected: { code: 6, meaning: "rejected by the service" },
  service: { code: 7, meaning: "service or network failure" },
  check: { code: 8, meaning: "a check failed, changes are pending, or duplicates exist" },
  partial: { code: 9, meaning: "partly applied, or an outcome is unknown" },
  timeout: { code: 124, meaning: "timed out" },
  interrupted: { code: 130, meaning: "interrupted" },
  terminated: { code: 143, meaning: "terminated" },
} as const satisfies Record<string, { code: number; meaning: string }>;

/** A row of {@link EXIT}; also the stable `code` of an error in JSON output. */
export type ExitName = keyof typeof EXIT;

/** Whether an exit code is that of a run which a signal or a time limit ended. */
export function isStop(exitCode: number): boolean {
  const { timeout, interrupted, terminated } = EXIT;
  return [timeout, interrupted, terminated].some(({ code }) => code === exitCode);
}

/** One invalid input, as in an Input Validation Issue of the service (spec part 7). */
export interface InputIssue {
  /** The place of the input: body, header, path or query; other values are passed on. */
  in?: string;
  name?: string;
  value?: unknown;
  detail?: string;
  /** The service's advice for this input, and its request ID. */
  remedy?: string;
  requestId?: string;
  /** The option or argument of the command that set the input; absent if unknown. */
  flag?: string;
}

/** Further facts of a problem document of the service, for display and for support. */
export interface ProblemDetails {
  /** The URI of this occurrence. */
  readonly instance?: string | undefined;
  readonly subsystem?: string | undefined;
  readonly time?: string | undefined;
  readonly supportEmail?: string | undefined;
  readonly supportPhone?: string | undefined;
  readonly supportUrl?: string | undefined;
  readonly context?: unknown;
  /** Members that amp does not know. */
  readonly [member: string]: unknown;
}

/**
 * The facts of an error beyond its message. An absent field is unknown. One more, `receipt`, is
 * declared by `notify/engine/failure.ts`: this file may not import its type.
 */
export interface ErrorFacts {
  /** The server's own explanation of this occurrence. */
  detail?: string;
  /** The remedy: an imperative sentence. */
  remedy?: string;
  /** A word that is none of a closed set; where it is reported, the remedy names the set and the nearest. */
  choices?: { readonly typed: string; readonly known: readonly string[] };
  /** The next command to type, or several in their order. */
  suggestion?: Suggestion;
  /** The work that was done and not done: the user must know what exists now. */
  done?: string | undefined;
  /** The part of `done` that the page of the result does not have. */
  unlisted?: string | undefined;
  /** The HTTP status of the answer. */
  status?: number;
  /** The URI of the problem type, and the URL of its documentation. */
  type?: string;
  href?: string;
  title?: string;
  /** The service's request ID; it may contain any characters. */
  requestId?: string;
  /** The client request ID that amp sent as X-Request-Id. */
  clientRequestId?: string;
  retryable?: boolean;
  /** The RFC 3339 time before which a retry is useless. */
  retryAfter?: string;
  issues?: readonly InputIssue[];
  causes?: readonly string[];
  /** The items that an ambiguous name may mean, each by the values that distinguish it. */
  candidates?: readonly Readonly<Record<string, string | null | undefined>>[];
  problem?: ProblemDetails;
  /** More machine-readable facts for JSON output, for example the records that already exist. */
  data?: Readonly<Record<string, unknown>>;
  /** The result as far as the run came, of the form of a whole one: a program gets it before the error. */
  result?: object;
}

/** Thrown by a prompt when the user returns to the previous one; the caller catches it. */
export class BackError extends Error {
  override name = "BackError";
}

/** The base class of all errors that amp throws on purpose. Any other error is a defect and exits 1. */
export abstract class AmpError extends Error {
  abstract readonly exit: ExitName;
  /** Its stable name: that of its row in a table of errors. */
  declare kind?: string;
  #facts: ErrorFacts;
  #said: Said | undefined;

  constructor(message: string, facts: ErrorFacts = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.#facts = facts;
  }

  get facts(): ErrorFacts {
    return this.#facts;
  }

  /** What its row says, with the values that it was made of changed: all else is amp's own words. */
  get said(): Said | undefined {
    return this.#said;
  }

  set said(said: Said | undefined) {
    this.#said = said;
  }

  /** Sets facts that an outer layer knows, in place of earlier ones, and returns the error itself. */
  setFacts(facts: ErrorFacts): this {
    this.#facts = { ...this.#facts, ...facts };
    return this;
  }

  /** Puts the place of what is wrong before the message, if it is known, and returns the error itself. */
  at(place: string | undefined): this {
    if (place === undefined) return this;
    this.message = `${place}: ${this.message}`;
    const said = this.#said;
    if (said === undefined) return this;
    this.#said = (change) => ({ ...said(change), text: `${change(place)}: ${said(change).text}` });
    return this;
  }
}

/** The command line, a file or a setting is wrong; nothing was sent. */
export class UsageError extends AmpError {
  readonly exit = "usage" as const;
}

/** The requested resource does not exist. */
export class NotFoundError extends AmpError {
  readonly exit = "not-found" as const;
}

/** The credential is missing, rejected, or has no permission. */
export class AuthError extends AmpError {
  readonly exit = "auth" as const;
}

/** A name is taken, a reference is ambiguous, or another run holds the lock. */
export class ConflictError extends AmpError {
  readonly exit = "conflict" as const;
}

/** The service understood the request and rejected it. */
export class RejectedError extends AmpError {
  readonly exit = "rejected" as const;
}

/** The service failed, could not be reached, or sent an invalid response. */
export class ServiceError extends AmpError {
  readonly exit = "service" as const;
}

/** A part of the work was done, or an outcome is unknown. */
export class PartialError extends AmpError {
  readonly exit = "partial" as const;
}

/** It is unknown whether a write took effect. */
export class UnknownOutcomeError extends PartialError {
  /** Why it is unknown, which is the end of the message. */
  readonly reason: string | undefined;

  constructor(
    message: string,
    facts?: ErrorFacts,
    { reason, ...options }: ErrorOptions & { readonly reason?: string } = {},
  ) {
    super(message, facts, options);
    this.reason = reason;
  }
}

/** The service did not answer in time. A write then has an unknown outcome: {@link PartialError}. */
export class TimeoutError extends AmpError {
  readonly exit = "timeout" as const;
}

/** An interrupt by Ctrl-C, at a prompt or during work. */
export class InterruptedError extends AmpError {
  readonly exit = "interrupted" as const;
}

/** A termination by SIGTERM or SIGHUP, for example of a cancelled CI job. */
export class TerminatedError extends AmpError {
  readonly exit = "terminated" as const;
}

/**
 * The error of work that a signal ended, by the signal's name.
 * @param during what it was doing, for example " while waiting for the lock"
 */
export function signalError(reason: unknown, facts: ErrorFacts = {}, during = "") {
  const isTermination = reason === "SIGTERM" || reason === "SIGHUP";
  return (isTermination ? stops.terminated : stops.interrupted)(during).setFacts(facts);
}

/** Returns true if a signal ended the work, which says nothing about whether it would have succeeded. */
export function isInterrupt(error: unknown): error is InterruptedError | TerminatedError {
  return error instanceof InterruptedError || error instanceof TerminatedError;
}

/**
 * For what goes on after a failure of amp's own.
 * @throws {unknown} the error itself where a signal ended the work, or it is a defect
 */
export function assertFailure(error: unknown): asserts error is AmpError {
  if (isInterrupt(error) || !(error instanceof AmpError)) throw error;
}

/** What was done, by an error that comes before any request. */
export const UNSENT = "Nothing was sent.";

/** Says of an error before the first write that there was none, unless it says what was done. */
export function nothingDone<Thrown>(error: Thrown): Thrown {
  if (!(error instanceof AmpError) || error instanceof ResultError) return error;
  const isUnsent = error instanceof UsageError;
  const { done = isUnsent ? UNSENT : "Nothing was changed." } = error.facts;
  error.setFacts({ done });
  return error;
}

/** The run succeeded, and what it printed is the reason of its exit code. */
export class ResultError extends AmpError {
  readonly exit: ExitName;

  constructor(message: string, facts?: ErrorFacts, options?: ErrorOptions, exit?: ExitName) {
    super(message, facts, options);
    this.exit = exit ?? "check";
  }
}

/** Standard output cannot be written, for example because its disk is full. */
export class OutputError extends AmpError {
  readonly exit = "unexpected" as const;
}

/** The class of the errors of each group of a table. */
const CLASSES = {
  unexpected: OutputError,
  usage: UsageError,
  "not-found": NotFoundError,
  auth: AuthError,
  conflict: ConflictError,
  rejected: RejectedError,
  service: ServiceError,
  check: ResultError,
  partial: PartialError,
  "unknown-outcome": UnknownOutcomeError,
  timeout: TimeoutError,
  interrupted: InterruptedError,
  terminated: TerminatedError,
} as const;

type Group = keyof typeof CLASSES;

/** What an error says: its text alone, or with its facts, its cause, and why an outcome is unknown. */
type ErrorRow =
  | string
  | ({ readonly [Fact in keyof ErrorFacts]: ErrorFacts[Fact] | undefined } & {
      readonly text: string;
      readonly cause?: unknown;
      readonly reason?: string | undefined;
    });

type Said = (change: <Value>(value: Value) => Value) => Exclude<ErrorRow, string>;

type Rows = Readonly<Record<string, (...values: never[]) => ErrorRow>>;

/** The functions of one group, each with the values of its row. */
type Made<Of, Thrown> = {
  readonly [Name in keyof Of]: Of[Name] extends (...values: infer Values) => ErrorRow
    ? (...values: Values) => Thrown
    : never;
};

/** The functions of all groups of a table, side by side. */
type MadeOf<Table> = {
  [Name in keyof Table]: (
    made: Made<Table[Name], InstanceType<(typeof CLASSES)[Name & Group]>>,
  ) => void;
}[keyof Table] extends (made: infer All) => void
  ? All
  : never;

/**
 * A table of errors: what each says, by its name, in groups by exit. The functions that it returns
 * make the error of a row: `throw failures.profile_not_found(name)`.
 */
export function errorTable<const Table extends { readonly [Name in Group]?: Rows }>(
  table: Table,
): MadeOf<Table> {
  // Each start makes hundreds of them: entries and copies would take milliseconds.
  const made: Record<string, (...values: never[]) => AmpError> = {};
  for (const group of Object.keys(table) as Group[]) {
    for (const [kind, row] of Object.entries<Rows[string]>(table[group] ?? {}))
      made[kind] = (...values) => errorOf(group, kind, row, values);
  }
  return made as MadeOf<Table>;
}

function errorOf(group: Group, kind: string, row: Rows[string], values: never[]): AmpError {
  const saidOf = (given: never[]): Exclude<ErrorRow, string> => {
    const said = row(...given);
    return typeof said === "string" ? { text: said } : said;
  };
  const { text, cause, reason, ...facts } = saidOf(values);
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  const options = { ...(cause !== undefined && { cause }), ...(reason && { reason }) };
  const error = new CLASSES[group](text, Object.fromEntries(known), options);
  error.kind = kind;
  error.said = (change) => saidOf(change(values));
  return error;
}

/** Whether an error is that of one of these rows. */
export function isKind(
  error: unknown,
  ...kinds: readonly string[]
): error is AmpError & { readonly kind: string } {
  return error instanceof AmpError && kinds.includes(error.kind ?? "");
}

/** Whether a case has no answer to a request, so that nobody knows whether the service has one. */
export function isNotRecorded(error: unknown): boolean {
  return isKind(error, "answer_not_recorded", "list_not_recorded");
}

/** The errors of work that a person or a signal ended. */
export const stops = errorTable({
  interrupted: {
    interrupted: (during = "") => `Interrupted${during}`,
    cancelled: (done?: string) => ({ text: "Cancelled", done }),
  },
  terminated: { terminated: (during = "") => `Terminated${during}` },
});

/** The errors of where amp runs, and of what it writes to. */
export const ioErrors = errorTable({
  usage: {
    folder_gone: (cause: unknown) => ({
      text: "The current folder no longer exists",
      remedy: "Change to another folder, for example with: cd ~",
      cause,
    }),
  },
  unexpected: {
    output_unwritable: (cause: Error) => ({
      text: `Cannot write the output: ${cause.message}`,
      cause,
    }),
  },
});
