import { setTimeout as pause } from "node:timers/promises";
import { listDeliveries, redeliver } from "../api/operations/endpoints.ts";
import type { DeliveryAttempt } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError, UsageError } from "../errors.ts";
import { isJsonObject } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Cell, type RichCell, toned } from "../view/view.ts";

/** The attempts of which project, at which destination. */
interface DeliveryQuery {
  readonly project: string;
  readonly destination?: string | undefined;
}

/** The part of a command's context that asks the sandbox. */
export type Asking = Pick<CommandContext, "api">;

const INTERVAL_MS = 500;

/** The last attempts of a sandbox, the oldest first. */
export async function deliveriesOf(
  { api }: Asking,
  { project, destination }: DeliveryQuery,
): Promise<readonly DeliveryAttempt[]> {
  const path = { projectIdOrName: project };
  const attempts = await api.call(listDeliveries, { path, query: { destination } });
  return withoutPastTimes(attempts);
}

/** The attempts of a sandbox as they are made, after the last ones; ends with the signal. */
export async function* followDeliveries(
  context: Asking,
  { project, destination }: DeliveryQuery,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<readonly DeliveryAttempt[]> {
  const last = await deliveriesOf(context, { project, destination });
  if (last.length > 0) yield last;
  // Also those at other destinations count, so that none is asked for twice.
  let after = last.at(-1)?.sequence ?? 0;
  for (;;) {
    await pause(INTERVAL_MS, undefined, { signal });
    const more = await context.api.call(listDeliveries, {
      path: { projectIdOrName: project },
      query: { destination, after: String(after) },
    });
    if (more.length > 0) yield withoutPastTimes(more);
    after = more.at(-1)?.sequence ?? after;
  }
}

/**
 * Delivers a message again, or each message of an event. Any service but a sandbox is only read.
 * @throws {UsageError} for too little of an ID
 * @throws {NotFoundError} where there is neither, with the nearest ID of those that were attempted
 */
export async function redeliverMessage(
  { api }: Asking,
  project: string,
  wanted: string,
): Promise<readonly DeliveryAttempt[]> {
  const path = { projectIdOrName: project };
  const attempts = await api.call(listDeliveries, { path });
  try {
    return await api.call(redeliver, { path, body: { id: wanted } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const list: readonly (DeliveryAttempt | null)[] = Array.isArray(attempts) ? attempts : [];
    const ids = new Set(list.flatMap((one) => [one?.messageId, one?.eventId]));
    const known = [...ids].filter((id) => typeof id === "string");
    const matching = known.filter((id) => id.startsWith(wanted)).length;
    const suggestion = suggest("sandbox deliveries", [], { output: "id" });
    const facts = { done: "Nothing was sent.", suggestion };
    if (matching > 0) {
      const match = matching === 1 ? "1 ID begins" : `${matching} IDs begin`;
      const remedy = "Type more of the ID.";
      throw new UsageError(`${match} with ${JSON.stringify(wanted)}`, { ...facts, remedy });
    }
    const near = nearest(wanted, known);
    throw new NotFoundError(`No message or event ${JSON.stringify(wanted)} found`, {
      ...facts,
      ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
    });
  }
}

/** The fields of an attempt in JSON. */
export const ATTEMPT_FIELDS = [
  "sequence",
  "projectId",
  "messageId",
  "eventId",
  "eventType",
  "topicId",
  "destinationId",
  "destinationName",
  "url",
  "attempt",
  "time",
  "outcome",
  "status",
  "durationMs",
  "error",
  "response",
  "nextAttemptTime",
] as const satisfies readonly (keyof DeliveryAttempt)[];

/** The columns of attempts. */
export const ATTEMPT_COLUMNS = {
  Time: clockCell,
  Event: (one: DeliveryAttempt) => one.eventType,
  Result: resultCell,
  Reason: reasonCell,
  Destination: (one: DeliveryAttempt) => one.destinationName ?? one.destinationId,
  Attempt: (one: DeliveryAttempt) => one.attempt,
  "Next attempt": nextCell,
  Message: messageCell,
} as const;

/** The characters of an ID that tell it from the others that a sandbox keeps. */
const SHORT_ID = "msg_".length + 8;

/** A terminal of 80 columns has room for the beginning of an ID, which `--from` takes. */
function messageCell({ messageId: raw }: DeliveryAttempt): Cell {
  return typeof raw === "string" ? { text: raw.slice(0, SHORT_ID), raw, kind: "id" } : undefined;
}

/** Attempts are read by the clock: "just now" on each line says nothing. */
function clockCell({ time: raw }: DeliveryAttempt): Cell {
  return { text: clockOf(raw), raw };
}

function clockOf(raw: unknown): string {
  const clock = /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/u.exec(String(raw))?.[1];
  return clock === undefined ? String(raw ?? "") : `${clock}Z`;
}

/**
 * The attempts as they are shown: once the next one was made, its row says more than the time when
 * it was due.
 */
function withoutPastTimes(attempts: readonly DeliveryAttempt[]): readonly DeliveryAttempt[] {
  if (!Array.isArray(attempts)) return attempts;
  const later = new Set<unknown>();
  const shown = (attempts as readonly DeliveryAttempt[]).toReversed().map((one) => {
    if (!isJsonObject(one)) return one;
    const isPast = later.has(one.messageId);
    later.add(one.messageId);
    return isPast ? changeDisplayCopy(one, ({ nextAttemptTime: _, ...rest }) => rest) : one;
  });
  return shown.toReversed();
}

/** The last intervals are hours, so the date is shown where it is another one. */
function nextCell(one: DeliveryAttempt): Cell {
  const { nextAttemptTime: raw, time } = one;
  if (raw === undefined || raw === null) return undefined;
  const [date] = String(raw).split("T");
  const isSameDay = String(time).startsWith(`${date}T`);
  return { text: isSameDay ? clockOf(raw) : `${date} ${clockOf(raw)}`, raw };
}

const RESULTS: Readonly<Record<string, RichCell["tone"]>> = {
  delivered: "good",
  failed: "bad",
  aborted: "bad",
  not_sent: "attention",
};

function resultCell({ outcome, status }: DeliveryAttempt): Cell {
  const tone = RESULTS[outcome];
  const text = [String(outcome ?? "").replaceAll("_", " "), status]
    .filter((part) => part != null)
    .join(" ");
  return tone === undefined ? text : toned(tone, text);
}

/** The start of an answer is enough on a terminal. */
const SHOWN_CHARACTERS = 40;

function reasonCell({ error, response }: DeliveryAttempt): Cell {
  const raw = [error, response].filter((part) => typeof part === "string" && part).join(": ");
  if (raw === "") return undefined;
  const line = raw.replace(/\s+/gu, " ");
  const isLong = line.length > SHOWN_CHARACTERS;
  return { text: isLong ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line, raw, wraps: true };
}
