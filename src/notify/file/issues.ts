import { UsageError } from "../../errors.ts";

/** How many mistakes are told at once. */
const MAX_SHOWN = 10;

/** A message; as a function where it is dear, for it may never be told. */
type Message = string | (() => string);

interface Remark {
  readonly at: number;
  readonly message: Message;
}

/** What is wrong with a file, gathered so that it is told at once. */
export interface FileIssues {
  /** A mistake. The same one at the same place counts once: an alias makes a part be read again. */
  error(at: number, message: Message): void;
  /** Something odd that is no mistake. */
  warn(at: number, message: string): void;
  /**
   * Ends the reading where there is a mistake.
   * @throws {UsageError}
   */
  check(): void;
  /** With path, line and column, in the order of the file. */
  warnings(): readonly string[];
}

/** Gathers what is wrong with a text. */
export function collectIssues(text: string, path: string): FileIssues {
  const mistakes = new Map<string, Remark>();
  const oddities = new Map<string, Remark>();
  const put = (into: Map<string, Remark>, at: number, message: Message) => {
    into.set(`${at} ${typeof message === "string" ? message : ""}`, { at, message });
  };
  /** In the order of the file. */
  const told = (remarks: ReadonlyMap<string, Remark>, most?: number) => {
    const placeOf = positions(text);
    return [...remarks.values()]
      .sort((a, b) => a.at - b.at)
      .slice(0, most)
      .map(({ at, message }) => ({
        ...placeOf(at),
        message: typeof message === "string" ? message : message(),
      }));
  };
  const line = ({ line, column, message }: ReturnType<typeof told>[number]) =>
    `${path}:${line}:${column}: ${message}`;
  return {
    error: (at, message) => put(mistakes, at, message),
    warn: (at, message) => put(oddities, at, message),
    warnings: () => told(oddities).map(line),
    check: () => {
      const problems = told(mistakes, MAX_SHOWN);
      const [first] = problems;
      if (first === undefined) return;
      const facts = { data: { problems } };
      if (mistakes.size === 1) throw new UsageError(line(first), facts);
      const more = mistakes.size - problems.length;
      throw new UsageError(`${path} has ${mistakes.size} mistakes`, {
        ...facts,
        detail: [...problems.map(line), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
      });
    },
  };
}

/** Line and column of an offset, both from 1. */
function positions(text: string): (at: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (at) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 };
  };
}

const MAX_NAME_LENGTH = 60;

/** A name of the file as a message quotes it. */
export function quoted(name: string): string {
  return JSON.stringify(
    name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name,
  );
}
