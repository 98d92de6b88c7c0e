import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
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
import { followLogs, logsOf } from "../../inspect/operations.ts";

export default defineCommand({
  description:
    "Shows the oldest line first. Lines may contain a customer's data; secrets in them are hidden. A terminal shows as much as fits on a line; other outputs have the full line. With --follow, polls at growing intervals of up to 5 s, until the operation has ended.",
  args: {
    operation: required(text("operation ID, as shown by amp installations operations")),
  },
  options: { follow: flag("show new lines as they are logged, until the operation has ended") },
  needs: ["project"],
  examples: [
    "amp installations logs op_08139571_1b4",
    "amp installations logs op_08139571_1b4 --follow --output ndjson",
  ],
  fields: RECORD_FIELDS.logEntry,
  run: async (context) => {
    const { args, options, report, signal } = context;
    if (!options.follow) return logsOf(context, args.operation);
    return followLogs(context, args.operation, {
      signal,
      onAway: (reason) =>
        report.warn(`The service does not respond: ${reason}. Still following the log.`),
    });
  },
  view: table<LogEntry>(
    ["line", "lines"],
    {
      Time: timeCell,
      Severity: severityCell,
      // The error is what a narrow terminal must not cut.
      Message: ({ message }) =>
        joined([message?.error, message?.msg, entryTexts(message?.details).join(", ")]),
    },
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

function severityCell({ severity }: LogEntry): Cell {
  if (!severity) return undefined;
  const word = severity.toLowerCase();
  // The first lines decide the width of the column, and later ones may be errors.
  const text = severity.padEnd("error".length);
  const tone = TONES.find(([words]) => words.test(word))?.[1];
  return { text, raw: severity, ...(tone && { tone }) };
}
