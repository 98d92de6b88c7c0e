import type { LogEntry } from "../../api/schemas/operation.ts";
import {
  type Cell,
  defineCommand,
  entryTexts,
  flag,
  joined,
  required,
  table,
  text,
} from "../../cli/define.ts";
import { followLogs, logsOf, operationIn } from "../../inspect/operations.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  description:
    "Shows the oldest line first. Lines may contain a customer's data; secrets in them are hidden. On a terminal, long lines are shortened, except warnings and errors; other formats have every line in full. With --follow, polls at growing intervals of up to 5 s, until the operation has ended.",
  args: {
    operation: required(
      text("operation ID, a text with one, or - for standard input", { pasted: true }),
    ),
  },
  options: { follow: flag("show new lines as they are logged, until the operation has ended") },
  needs: ["project"],
  examples: [
    "amp installations logs op_08139571_1b4",
    "amp installations logs op_08139571_1b4 --follow --output ndjson",
  ],
  fields: RESULT_FIELDS.logEntry,
  run: async (context) => {
    const operation = operationIn(context.args.operation);
    return context.options.follow ? followLogs(context, operation) : logsOf(context, operation);
  },
  view: table<LogEntry>(
    ["line", "lines"],
    { Time: timeCell, Severity: severityCell, Message: messageCell },
    { id: ({ timestamp }) => timestamp ?? "", growing: true },
  ),
});

/** A log is read by the clock: "3d ago" on each of its lines says nothing. */
function timeCell({ timestamp }: LogEntry): Cell {
  if (!timestamp) return undefined;
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/u.exec(timestamp) ?? [];
  return { text: date === undefined ? timestamp : `${date} ${clock}Z`, raw: timestamp };
}

/** The tones of the words that loggers use; all others are plain. */
const TONES = [
  [/^(?:err|error|fatal|critical)$/u, "bad"],
  [/^warn/u, "attention"],
  [/^(?:debug|trace)$/u, "dim"],
] as const;

/** The characters of a problem on a terminal: a stack trace would hide the other lines. */
const MAX_SHOWN = 1_000;

/** The message of a line, its error first; a problem is wrapped instead of cut. */
function messageCell({ message, severity }: LogEntry): Cell {
  const text = joined([message?.error, message?.msg, entryTexts(message?.details).join(", ")]);
  const isProblem = message?.error || ["bad", "attention"].includes(toneOf(severity) ?? "");
  if (!isProblem || text === undefined) return text;
  const start = [...text].slice(0, MAX_SHOWN).join("");
  return { text: start === text ? text : `${start}…`, raw: text, wraps: true };
}

function toneOf(severity: string | null | undefined) {
  const word = severity?.toLowerCase() ?? "";
  return TONES.find(([words]) => words.test(word))?.[1];
}

function severityCell({ severity }: LogEntry): Cell {
  if (!severity) return undefined;
  // The first lines decide the width of the column, and later ones may be errors.
  const text = severity.padEnd("error".length);
  const tone = toneOf(severity);
  return { text, raw: severity, ...(tone && { tone }) };
}
