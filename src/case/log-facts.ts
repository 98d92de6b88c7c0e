import { isJsonObject, plainText } from "../values/json.ts";
import table from "./log-patterns.json" with { type: "json" };

/** The causes that log lines show. */
export type LogKind = "rate" | "credentials" | "field" | "permission" | "unavailable";

interface LogMatch {
  readonly kind: LogKind;
  /** The field, object or scope that the line names. */
  readonly subject?: string | undefined;
  readonly text: string;
  readonly operation: string;
}

/** The facts from the logs of the first and the last failed operation. */
export interface LogFacts {
  readonly lines: number;
  /** The lines of the operation that is quoted, and those of them that show the cause. */
  readonly quoted: number;
  readonly matching: number;
  readonly match?: LogMatch | undefined;
  /** The match in the first failed operation, where the last one shows another cause. */
  readonly earlier?: LogMatch | undefined;
  /** The last line of the highest severity, where none shows a known cause. */
  readonly worst?: { readonly text: string; readonly operation: string } | undefined;
}

interface OperationLogs {
  readonly operation: string;
  readonly lines: readonly unknown[];
}

interface Line {
  readonly operation: string;
  readonly text: string;
  readonly isError: boolean;
  /** True if the line reports an action, not a cause: "the token has expired: refreshing it". */
  readonly isInfo: boolean;
}

type Pattern = { readonly kind: LogKind; readonly pattern: RegExp };

function patternsOf(provider: string | undefined): readonly Pattern[] {
  const rows = table as Readonly<Record<string, readonly { kind: string; pattern: string }[]>>;
  const own = provider !== undefined && provider !== "*" && Object.hasOwn(rows, provider);
  return [...(own ? (rows[provider] ?? []) : []), ...(rows["*"] ?? [])].map(
    ({ kind, pattern }) => ({ kind: kind as LogKind, pattern: new RegExp(pattern, "iu") }),
  );
}

/**
 * Judges logs by the patterns of the provider: the errors first, then the lines that may be one.
 * @param logs those of the first failed operation before those of the last, which shows the cause
 * of now
 */
export function logFacts(logs: readonly OperationLogs[], provider: string | undefined): LogFacts {
  const lines = logs.flatMap(({ operation, lines: all }) =>
    all.flatMap((line) => linesOf(line, operation)),
  );
  const errors = lines.filter(({ isError }) => isError);
  const patterns = patternsOf(provider);
  const matches = [errors, lines.filter(({ isInfo }) => !isInfo)]
    .map((some) => some.flatMap((line) => matchOf(line, patterns)))
    .find((found) => found.length > 0);
  const match = matches?.at(-1);
  const earlier = matches?.findLast(({ operation }) => operation !== match?.operation);
  const worst = errors.at(-1);
  const of = (match ?? worst)?.operation;
  return {
    lines: lines.length,
    quoted: lines.filter(({ operation }) => operation === of).length,
    matching:
      matches?.filter((one) => one.operation === of && one.kind === match?.kind).length ?? 0,
    match,
    earlier: earlier?.kind === match?.kind ? undefined : earlier,
    worst:
      match === undefined && worst ? { text: worst.text, operation: worst.operation } : undefined,
  };
}

function matchOf({ text, operation }: Line, patterns: readonly Pattern[]): LogMatch[] {
  for (const { kind, pattern } of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return [{ kind, subject: found.groups?.subject, text, operation }];
  }
  return [];
}

/** A line of a log as text: its message, and the error where it has one of its own. */
function linesOf(line: unknown, operation: string): Line[] {
  if (typeof line === "string") {
    return [{ operation, text: line, isError: false, isInfo: false }];
  }
  if (!isJsonObject(line)) return [];
  const { severity, message } = line;
  const parts = isJsonObject(message) ? [message.msg, message.error] : [message];
  const texts = parts.filter((part) => typeof part === "string" && part !== "");
  const text = [...new Set(texts)].join(": ");
  const isError = /error|critical|alert|emergency|fatal/iu.test(plainText(severity));
  const isInfo = /^(?:info|debug|trace|notice|default)/iu.test(plainText(severity));
  return text === "" ? [] : [{ operation, text, isError, isInfo }];
}
