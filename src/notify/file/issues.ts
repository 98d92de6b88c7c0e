import { UsageError } from "../../errors.ts";
import { redactSecrets } from "../../secrets/secret.ts";
import { counted } from "../../values/counted.ts";

/** All mistakes of a file by hand; more are one mistake of the program that wrote it. */
const MAX_SHOWN = 100;

/** A message; a function where it is slow to make, because it may never be shown. */
type Message = string | (() => string);

interface Issue {
  readonly at: number;
  readonly message: Message;
  readonly isWarning: boolean;
}

/** An issue at its place, as JSON shows it. */
/** A problem of a file, as errors have it in `data.problems`. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  /** Absent for an error. */
  readonly severity?: "warning";
  readonly message: string;
}

/** The errors and warnings about a file, collected so that all are reported at once. */
export interface FileIssues {
  /** Adds an error. Equal errors at one offset count once: an alias makes a part be read again. */
  error(at: number, message: Message): void;
  /** Adds a warning, unless an error is there already. */
  warn(at: number, message: string): void;
  /** The line of an offset, counted from 1. */
  lineAt(at: number): number;
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
  /** The warnings with path, line, column and the word, in the order of the file. */
  warnings(): readonly string[];
}

/** Collects the issues of a text. */
export function collectIssues(text: string, path: string): FileIssues {
  const errors = new Map<string, Issue>();
  const warnings = new Map<string, Issue>();
  const errorOffsets = new Set<number>();
  const put = (into: Map<string, Issue>, at: number, message: Message, isWarning = false) => {
    into.set(`${at} ${typeof message === "string" ? message : ""}`, { at, message, isWarning });
  };
  /** Issues in the order of the file. */
  const placed = (issues: readonly Issue[], most?: number) => {
    let line = 1;
    let start = 0;
    const sorted = [...issues].sort((a, b) => a.at - b.at);
    return sorted.slice(0, most).map(({ at, message, isWarning }): FileProblem => {
      for (
        let end = text.indexOf("\n", start);
        end >= 0 && end < at;
        end = text.indexOf("\n", start)
      ) {
        line += 1;
        start = end + 1;
      }
      const shown = typeof message === "string" ? message : message();
      const severity = isWarning ? { severity: "warning" as const } : {};
      return { line, column: at - start + 1, ...severity, message: shown };
    });
  };
  const placeOf = ({ line, column }: FileProblem) => `${path}:${line}:${column}:`;
  const line = (problem: FileProblem) =>
    `${placeOf(problem)} ${problem.severity ? "warning: " : ""}${problem.message}`;
  const check = () => {
    if (errors.size === 0) return;
    // With the warnings, so that one run shows all there is to correct.
    const all = [...errors.values(), ...warnings.values()];
    const problems = placed(all, MAX_SHOWN);
    const facts = { data: { problems } };
    const [only, another] = problems;
    if (only !== undefined && another === undefined) throw new UsageError(line(only), facts);
    const more = all.length - problems.length;
    throw new UsageError(`${path} has ${totalText(errors.size, warnings.size)}`, {
      ...facts,
      detail: [...problems.map(line), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
    });
  };
  return {
    error: (at, message) => {
      errorOffsets.add(at);
      put(errors, at, message);
    },
    warn: (at, message) => {
      if (!errorOffsets.has(at)) put(warnings, at, message, true);
    },
    lineAt: (at) => text.slice(0, at).split("\n").length,
    hasErrorAt: (at) => errorOffsets.has(at),
    warnings: () => placed([...warnings.values()]).map(line),
    check,
    fail: () => {
      check();
      throw new Error(`Could not read ${path}: no error was recorded`);
    },
  };
}

function totalText(errors: number, warnings: number): string {
  const some = warnings === 0 ? "" : ` and ${counted(warnings, "warning")}`;
  return `${counted(errors, "error")}${some}`;
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
