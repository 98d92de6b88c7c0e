import { isAccepted } from "../events/message.ts";
import { counted } from "../values/counted.ts";
import { type Cell, toned } from "../view/view.ts";
import type { ArrivedMessage, Counts } from "./session.ts";

/** How a listener writes what it sees to standard output. */
export interface ListenOutput {
  /** Called once, when messages can come. */
  ready(facts: ReadyFacts): Promise<void>;
  message(message: ArrivedMessage): Promise<void>;
  end(counts: Readonly<Counts>): Promise<void>;
}

/** The facts that others need to reach a listener. */
export interface ReadyFacts {
  readonly url: string;
  /** The URL that messages are sent to from elsewhere. */
  readonly publicUrl?: string | undefined;
  readonly routing?: string | undefined;
  /** The signing secrets, if requested or new. */
  readonly secrets?: readonly string[] | undefined;
}

/** How rows are written. */
export interface RowOptions {
  readonly isTty: boolean;
  /** Whether to print the secrets; new ones are printed on stderr in any case. */
  readonly printSecret: boolean;
}

interface Writers {
  write(text: string): Promise<void>;
  writeRow(cells: readonly Cell[], widths?: readonly number[]): Promise<void>;
}

/** JSON: one document, which begins when messages can come, and has a line for each. */
function jsonOutput({ write }: Writers): ListenOutput {
  let isFirst = true;
  return {
    ready: (facts) => write(`{"ready":true,${JSON.stringify(facts).slice(1, -1)},"messages":[`),
    message: async (message) => {
      await write(`${isFirst ? "" : ","}\n${JSON.stringify(message)}`);
      isFirst = false;
    },
    end: (counts) => write(`${isFirst ? "" : "\n"}],"counts":${JSON.stringify(counts)}}\n`),
  };
}

/** A JSON document on each line: that it is ready, each message, and the counts. */
function ndjsonOutput({ write }: Writers): ListenOutput {
  const line = (value: object) => write(`${JSON.stringify(value)}\n`);
  return {
    ready: (facts) => line({ ready: true, ...facts }),
    message: line,
    end: async () => {},
  };
}

/** The least widths of time, event and answer on a terminal. */
const WIDTHS = [9, 22, 14];

/** Rows for people, and TSV for a pipe. */
function rowOutput({ writeRow }: Writers, { isTty, printSecret }: RowOptions): ListenOutput {
  return {
    ready: async ({ secrets = [] }) => {
      for (const secret of printSecret ? secrets : []) await writeRow(["secret", secret]);
    },
    message: async (message) => {
      if (!isTty) return writeRow(pipeCells(message));
      await writeRow(terminalCells(message), WIDTHS);
      for (const cell of remarks(message)) await writeRow(["", cell], WIDTHS.slice(0, 1));
    },
    end: async () => {},
  };
}

/** Makes the output of a format; rows where it is neither JSON nor NDJSON. */
export function createListenOutput(
  format: string,
  writers: Writers,
  options: RowOptions,
): ListenOutput {
  if (format === "json") return jsonOutput(writers);
  return format === "ndjson" ? ndjsonOutput(writers) : rowOutput(writers, options);
}

function pipeCells(message: ArrivedMessage): Cell[] {
  const { time, event, id, signature, status, ms, forward, body } = message;
  const held = signature.valid ? "valid" : signature.reason;
  const cells = [time, event, id, held, status, ms, forward?.status ?? forward?.error];
  return body === undefined ? cells : [...cells, JSON.stringify(body)];
}

function terminalCells({
  time,
  event,
  id,
  signature,
  status,
  ms,
  forward,
}: ArrivedMessage): Cell[] {
  const mark = signature.valid ? "✓" : "✗";
  const clock = `${time.slice(11, 19)}Z`;
  const answer = status === undefined ? "no answer" : `${status}`;
  return [
    toned("dim", clock),
    toned(signature.valid ? "good" : "bad", `${mark} ${event ?? "no event type"}`),
    toned(
      isAccepted({ status }) ? "good" : "attention",
      `${forward === undefined ? "" : "→ "}${answer} in ${ms} ms`,
    ),
    { text: id ?? "no ID", tone: "dim" },
  ];
}

/** The lines for people beyond the row. */
function remarks({ signature, forward, body }: ArrivedMessage): Cell[] {
  const { valid, reason, advice = [] } = signature;
  const failed = forward !== undefined && !isAccepted(forward);
  return [
    ...(valid ? [] : [toned("bad", `Signature: ${reason}`), ...advice]),
    ...(failed ? [toned("attention", failureText(forward))] : []),
    ...(body === undefined ? [] : bodyLines(body)),
  ];
}

function failureText({
  url,
  status,
  error,
  bodyStart,
}: NonNullable<ArrivedMessage["forward"]>): string {
  if (status === undefined) return `${url}: ${error}`;
  const redirect = status >= 300 && status < 400 ? " (the platform does not follow redirects)" : "";
  const start = bodyStart === undefined ? "" : `: ${bodyStart}`;
  return `${url} answered ${status}${redirect}${start}`;
}

function bodyLines(body: unknown): string[] {
  const text = typeof body === "string" ? body : JSON.stringify(body, undefined, 2);
  return text.split("\n");
}

/** The closing sentence of a listener. */
export function summaryOf(counts: Readonly<Counts>): string {
  const { messages, invalid, notAccepted, others, refused } = counts;
  const parts = [
    counted(messages, "message"),
    ...(invalid === 0 ? [] : [`${invalid} without a valid signature`]),
    ...(notAccepted === 0 ? [] : [`${notAccepted} not accepted by the application`]),
    ...(others === 0 ? [] : [`${others} filtered out`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
  return `${parts.join(", ")}.`;
}
