import { UsageError } from "../../errors.ts";
import { redactSecrets } from "../../secrets/secret.ts";

/** All mistakes of a file by hand; more are one mistake of the program that wrote it. */
const MAX_SHOWN = 100;

/** A message; a function where it is slow to make, because it may never be shown. */
type Message = string | (() => string);

interface Issue {
  readonly at: number;
  readonly message: Message;
}

/** The errors and warnings about a file, collected so that all are reported at once. */
export interface FileIssues {
  /** Adds an error. Equal errors at one offset count once: an alias makes a part be read again. */
  error(at: number, message: Message): void;
  warn(at: number, message: string): void;
  /** Whether there is an error at an offset: a further one there follows from it. */
  hasErrorAt(at: number): boolean;
  /**
   * Ends the reading where there is an error.
   * @throws {UsageError}
   */
  check(): void;
  /**
   * Ends the reading.
   * @throws {UsageError}
   */
  fail(): never;
  /** The warnings with path, line and column, in the order of the file. */
  warnings(): readonly string[];
}

/** Collects the issues of a text. */
export function collectIssues(text: string, path: string): FileIssues {
  const errors = new Map<string, Issue>();
  const warnings = new Map<string, Issue>();
  const errorOffsets = new Set<number>();
  const put = (into: Map<string, Issue>, at: number, message: Message) => {
    into.set(`${at} ${typeof message === "string" ? message : ""}`, { at, message });
  };
  /** The issues in the order of the file. */
  const placed = (issues: ReadonlyMap<string, Issue>, most?: number) => {
    let line = 1;
    let start = 0;
    const sorted = [...issues.values()].sort((a, b) => a.at - b.at);
    return sorted.slice(0, most).map(({ at, message }) => {
      for (
        let end = text.indexOf("\n", start);
        end >= 0 && end < at;
        end = text.indexOf("\n", start)
      ) {
        line += 1;
        start = end + 1;
      }
      const shown = typeof message === "string" ? message : message();
      return { line, column: at - start + 1, message: shown };
    });
  };
  const line = ({ line, column, message }: ReturnType<typeof placed>[number]) =>
    `${path}:${line}:${column}: ${message}`;
  const check = () => {
    const problems = placed(errors, MAX_SHOWN);
    const [first] = problems;
    if (first === undefined) return;
    const facts = { data: { problems } };
    if (errors.size === 1) throw new UsageError(line(first), facts);
    const more = errors.size - problems.length;
    throw new UsageError(`${path} has ${errors.size} errors`, {
      ...facts,
      detail: [...problems.map(line), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
    });
  };
  return {
    error: (at, message) => {
      errorOffsets.add(at);
      put(errors, at, message);
    },
    warn: (at, message) => put(warnings, at, message),
    hasErrorAt: (at) => errorOffsets.has(at),
    warnings: () => placed(warnings).map(line),
    check,
    fail: () => {
      check();
      throw new Error(`Could not read ${path}: no error was recorded`);
    },
  };
}

const MAX_NAME_LENGTH = 60;

/**
 * A name in quotes, cut where it is long. Secrets are hidden before, because a cut one would not
 * be recognised.
 */
export function quoted(name: string): string {
  const shown = redactSecrets(name);
  return JSON.stringify(
    shown.length > MAX_NAME_LENGTH ? `${shown.slice(0, MAX_NAME_LENGTH)}…` : shown,
  );
}
