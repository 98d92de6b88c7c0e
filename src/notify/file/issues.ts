import type { ErrorFacts } from "../../errors.ts";
import { redactSecrets } from "../../secrets/secret.ts";
import { once, shortened } from "../../values/basics.ts";
import { counted } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import { routingErrors } from "../errors.ts";

/** All mistakes of a file by hand; more are one mistake of the program that wrote it. */
const MAX_SHOWN = 100;

/** A message; a function where it is slow to make, because it may never be shown. */
type Message = string | (() => string);

interface Issue {
  readonly at: number;
  readonly message: Message;
  readonly isWarning: boolean;
}

/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A problem of a file, as errors have it in `data.problems`. */
export interface FileProblem extends Position {
  /** Absent for an error. */
  readonly severity?: "warning";
  readonly message: string;
}

/** The errors and warnings about a file, collected so that all are reported at once. */
export type FileIssues = ReturnType<typeof collectIssues>;

/** Collects the issues of a text. */
export function collectIssues(text: string, path: string) {
  const errors = new Map<string, Issue>();
  const warnings = new Map<string, Issue>();
  const errorOffsets = new Set<number>();
  const put = (into: Map<string, Issue>, at: number, message: Message, isWarning = false) => {
    into.set(`${at} ${typeof message === "string" ? message : ""}`, { at, message, isWarning });
  };
  const places = once(() => placesIn(text));
  const placed = (issues: readonly Issue[], most?: number) =>
    issues
      .toSorted((a, b) => a.at - b.at)
      .slice(0, most)
      .map((one) => problemOf(one, places()(one.at)));
  const lineOf = ({ line, column, severity, message }: FileProblem) =>
    `${path}:${line}:${column}: ${severity ? "warning: " : ""}${message}`;
  const check = (more?: Pick<ErrorFacts, "remedy">): void => {
    if (errors.size === 0) return;
    // With the warnings, so that one run shows all there is to correct.
    const all = [...errors.values(), ...warnings.values()];
    const problems = placed(all, MAX_SHOWN);
    const facts = { ...more, data: { problems } };
    const [only, another] = problems;
    if (only && !another) throw routingErrors.routing_file_wrong(lineOf(only), facts);
    const left = all.length - problems.length;
    throw routingErrors.routing_file_wrong(
      `${path} has ${totalText(errors.size, warnings.size)}`,
      facts,
      [...problems.map(lineOf), ...(left > 0 ? [`and ${left} more`] : [])].join("\n"),
    );
  };
  return {
    /** Adds an error. Equal errors at one offset count once: an alias makes a part be read again. */
    error: (at: number, message: Message): void => {
      errorOffsets.add(at);
      put(errors, at, message);
    },
    /** Adds a warning, unless an error is there already. */
    warn: (at: number, message: string): void => {
      if (!errorOffsets.has(at)) put(warnings, at, message, true);
    },
    placeOf: (at: number): Position => places()(at),
    /** Whether there is an error at an offset: a further one there follows from it. */
    hasErrorAt: (at: number): boolean => errorOffsets.has(at),
    /** The warnings with path, line, column and the word, in the order of the file. */
    warnings: (): readonly string[] => placed([...warnings.values()]).map(lineOf),
    /** Ends the reading where there is an error. @throws {UsageError} */
    check,
    /** Ends the reading. @throws {UsageError} */
    fail: (): never => {
      check();
      throw new Error(`Could not read ${path}: no error was recorded`);
    },
  };
}

function problemOf({ message, isWarning }: Issue, position: Position): FileProblem {
  const shown = typeof message === "string" ? message : message();
  const severity = isWarning ? { severity: "warning" as const } : {};
  // One line each: a key of the file may have line breaks.
  return { ...position, ...severity, message: visible(shown) };
}

/** Finds the place of an offset: of the last line that begins at or before it. */
function placesIn(text: string): (at: number) => Position {
  const starts = [0, ...[...text.matchAll(/\n/gu)].map(({ index }) => index + 1)];
  return (at) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 };
  };
}

function totalText(errors: number, warnings: number): string {
  const some = warnings === 0 ? "" : ` and ${counted(warnings, "warning")}`;
  return `${counted(errors, "error")}${some}`;
}

const MAX_NAME_LENGTH = 60;

/** A name in quotes, cut where it is long. Secrets are hidden before: a cut one is not found. */
export function quoted(name: string): string {
  return JSON.stringify(shortened(redactSecrets(name), MAX_NAME_LENGTH));
}
