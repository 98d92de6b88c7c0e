import type { DeliveryAttempt } from "../api/schemas/sandbox-event.ts";
import type {
  DeliveryDocument,
  MessageAttempt,
  SentMessages,
  SignatureVerdict,
} from "../documents/events.ts";
import { shortened } from "../values/basics.ts";
import { counted } from "../values/counted.ts";
import {
  type Block,
  type Cell,
  id,
  type RichCell,
  row,
  rowsOfItems,
  table,
  time,
  toned,
  type ViewRows,
} from "../view/view.ts";
import { outcomeWord } from "./message/payloads.ts";

/** One attempt to deliver a message, with what is shown of both: one line of a list. */
export interface DeliveryLine extends Omit<DeliveryDocument, "attempts">, Partial<MessageAttempt> {
  /** The name of the destination, or its URL. */
  readonly destination?: string | undefined;
  readonly attempt?: number;
  readonly nextAttemptTime?: string | null | undefined;
}

/** A line for each attempt at a message; one for a message without any. */
export function linesOf({ attempts, ...message }: DeliveryDocument): DeliveryLine[] {
  const made: readonly Partial<MessageAttempt>[] = attempts.length === 0 ? [{}] : attempts;
  return made.map((attempt) => ({ ...message, ...attempt, destination: attempt.url }));
}

/** What is shown of a message and its attempts, in this order and under these labels everywhere. */
export const DELIVERY_COLUMNS = {
  Time: (line) => clockCell(line.time),
  Event: ({ event }) => event,
  Signature: ({ signature }) => signatureCell(signature),
  Signed: ({ signature }) => time(signature?.signedAt),
  Result: resultCell,
  Reason: reasonCell,
  Destination: ({ destination }) => destination,
  Attempt: ({ attempt }) => attempt,
  "Next attempt": nextCell,
  Took: ({ durationMs: ms }) =>
    (ms ?? "") === "" ? undefined : { text: `${ms} ms`, raw: `${ms}` },
  Message: messageCell,
  Body: ({ bytes }) => (bytes === undefined ? undefined : counted(bytes, "byte")),
} as const satisfies Readonly<Record<string, (line: DeliveryLine) => Cell>>;

type Label = keyof typeof DELIVERY_COLUMNS;

const ON_PAGES: Readonly<Partial<Record<Label, (line: DeliveryLine) => Cell>>> = {
  Time: (line) => time(line.time),
  Reason: (line) => reasonOf(line),
  Message: (line) => id(line.id),
};

/** A message among several has no room for these. */
const ONLY_ALONE: ReadonlySet<string> = new Set<Label>(["Signed", "Body"]);

/** Messages and their attempts: each label with its value for one, else a line each; then advice. */
export function deliveryBlocks(messages: readonly DeliveryDocument[]): Block[] {
  const lines = messages.flatMap(linesOf);
  const isAlone = lines.length === 1;
  const columns = (Object.keys(DELIVERY_COLUMNS) as Label[]).flatMap((label) => {
    const cellOf: (line: DeliveryLine) => Cell = ON_PAGES[label] ?? DELIVERY_COLUMNS[label];
    const cells = lines.map(cellOf);
    const isShown =
      cells.some((cell) => (cell ?? "") !== "") && (isAlone || !ONLY_ALONE.has(label));
    return isShown ? [{ label, cells }] : [];
  });
  const advice = new Set(messages.flatMap(({ signature }) => signature?.advice ?? []));
  return [
    isAlone
      ? {
          kind: "rows",
          inRows: true,
          rows: columns.flatMap(({ label, cells }) => row(label, cells[0])),
        }
      : {
          kind: "grid",
          inRows: true,
          columns: columns.map(({ label }) => label),
          rows: lines.map((_, at) => columns.map(({ cells }) => cells[at])),
          // Reasons are sentences.
          cards: messages.some(({ signature }) => signature?.valid === false),
        },
    ...[...advice].map((text): Block => ({ kind: "text", text, tone: "attention" })),
  ];
}

/** A row for each attempt at messages that were sent, however many they are. */
export function sentRows({ messages }: SentMessages): ViewRows {
  const { Message, Event, Result, Destination, Took, Reason } = DELIVERY_COLUMNS;
  const columns = { Message, Event, Result, Destination, Took, Reason };
  return rowsOfItems(messages.flatMap(linesOf), table(["message", "messages"], columns));
}

/** The words for a signature. */
export function signatureCell(verdict: SignatureVerdict | undefined): Cell {
  if (verdict === undefined) return undefined;
  return verdict.valid ? toned("good", "valid") : toned("bad", `not valid: ${verdict.reason}`);
}

/** The beginning of an ID that tells it from the others that a sandbox keeps. */
const SHORT_ID = /^(?:.*_)?.{0,8}/u;

/** A terminal of 80 columns has room for the beginning of an ID, which `--from` takes. */
function messageCell({ id: raw }: DeliveryLine): Cell {
  return typeof raw === "string"
    ? { text: SHORT_ID.exec(raw)?.[0] ?? raw, raw, kind: "id" }
    : undefined;
}

/** Attempts are read by the clock: "just now" on each line says nothing. */
function clockCell(raw: string | undefined): Cell {
  return raw === undefined ? undefined : { text: clockOf(raw), raw };
}

function clockOf(raw: unknown): string {
  const clock = /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/u.exec(String(raw))?.[1];
  return clock === undefined ? String(raw ?? "") : `${clock}Z`;
}

/** The last intervals are hours, so the date is shown where it is another one. */
function nextCell({ nextAttemptTime: raw, time: made }: DeliveryLine): Cell {
  if (raw === undefined || raw === null) return undefined;
  const [date] = String(raw).split("T");
  const isSameDay = String(made).startsWith(`${date}T`);
  return { text: isSameDay ? clockOf(raw) : `${date} ${clockOf(raw)}`, raw };
}

const TONES: Readonly<Record<string, RichCell["tone"]>> = {
  delivered: "good",
  failed: "bad",
  aborted: "bad",
  not_sent: "attention",
};

function resultCell(line: DeliveryLine): Cell {
  const tone = TONES[String(line.outcome)];
  return tone === undefined ? resultText(line) : toned(tone, resultText(line));
}

function resultText({ outcome, status }: DeliveryLine): string {
  return `${String(outcome ?? "").replaceAll("_", " ")} ${status ?? ""}`.trim();
}

/** The start of an answer is enough on a terminal. */
const SHOWN_CHARACTERS = 40;

/** Why a message was not delivered; empty where it was. */
export function reasonOf({ error, response }: DeliveryLine): string {
  return [error, response].filter((part) => typeof part === "string" && part).join(": ");
}

function reasonCell(one: DeliveryLine): Cell {
  const raw = reasonOf(one);
  if (raw === "") return undefined;
  const line = raw.replace(/\s+/gu, " ");
  return { text: shortened(line, SHOWN_CHARACTERS), raw, wraps: true };
}

/** The columns of the attempts of a sandbox. */
export function attemptColumns(): Readonly<Record<string, (attempt: DeliveryAttempt) => Cell>> {
  const { Signature, Signed, Body, ...shown } = DELIVERY_COLUMNS;
  return Object.fromEntries(
    Object.entries(shown).map(([label, cellOf]) => [label, (one) => cellOf(attemptLine(one))]),
  );
}

/** An attempt of a sandbox in one sentence. */
export function attemptText(attempt: DeliveryAttempt): string {
  const line = attemptLine(attempt);
  const { event, destination, durationMs, error } = line;
  const took = durationMs === undefined ? "" : ` in ${durationMs} ms`;
  return `${event} to ${destination}: ${resultText(line)}${took}${error ? ` (${error})` : ""}`;
}

function attemptLine(attempt: DeliveryAttempt): DeliveryLine {
  const { messageId, eventType: event, destinationName, destinationId } = attempt;
  const destination = destinationName ?? destinationId;
  return {
    ...attempt,
    id: messageId,
    event,
    destination,
    outcome: outcomeWord(attempt),
  } as DeliveryLine;
}
