import { examineSignature } from "../../events/examine.ts";
import { outcomeWord, webhookBody } from "../../events/message/payloads.ts";
import { SIGNATURE_HEADERS } from "../../events/message/signature.ts";
import type {
  EventDetail,
  EventRow,
  MessageResult,
  MessageRow,
  PageAttempt,
} from "../../page/model.ts";
import { REDACTED } from "../../secrets/secret.ts";
import type { AppParts } from "../app.ts";
import {
  type AttemptRecord,
  isElsewhere,
  type SandboxEvent,
  signingSecrets,
  type TrackedMessage,
} from "../events/delivery.ts";
import { type OperationCall, queryFilters, wholeNumber } from "../operation.ts";

type Parts = Pick<AppParts, "store" | "events">;

/** An event with what became of its messages so far. */
export function eventRow(parts: Parts, event: SandboxEvent): EventRow {
  const { id, type, time, data } = event;
  const messages = parts.events.history.messagesOf(id).map((each) => messageRow(parts, each));
  return { id, type, time, about: aboutOf(data), messages };
}

function aboutOf(data: SandboxEvent["data"]): string | undefined {
  const { groupName, consumerName, destinationName, installationId } = data;
  const texts = [groupName, consumerName, destinationName, installationId];
  return texts.find((text) => typeof text === "string");
}

function resultOf({ last }: TrackedMessage): MessageResult {
  if (last === undefined) return "waiting";
  if (last.outcome === "delivered") return outcomeWord(last) as MessageResult;
  if (last.outcome === "not_sent") return "not sent";
  return last.nextAttemptTime === undefined ? "failed" : "retrying";
}

/** What became of a message so far. */
export function messageRow({ store, events }: Parts, tracked: TrackedMessage): MessageRow {
  const { message, last } = tracked;
  const { id, topicId, destinationId } = message;
  const destination = store.world.destinations.find((each) => each.id === destinationId);
  return {
    id,
    topic: topicId,
    destination: destinationId,
    destinationName: destination?.name ?? last?.destinationName ?? destinationId,
    result: resultOf(tracked),
    attempts: last?.attempt ?? 0,
    status: last?.status,
    error: last?.error,
    needsAnyHost:
      last?.outcome === "not_sent" &&
      !events.deliversToAnyHost &&
      !events.history.disabled.has(destinationId) &&
      destination?.type === "webhook" &&
      isElsewhere(destination),
    next: last?.nextAttemptTime,
  };
}

/** An event with every attempt that is kept. */
export function eventDetail(parts: Parts, event: SandboxEvent): EventDetail {
  const { history } = parts.events;
  const { messages, ...row } = eventRow(parts, event);
  const triesOf = (id: string) => {
    const made = history.attempts.filter(({ messageId }) => messageId === id);
    const kept = made.length > 0 ? made : [history.message(id)?.last ?? []].flat();
    return kept.map((one) => pageAttempt(parts, event, one));
  };
  const all = messages.map((message) => ({ ...message, tries: triesOf(message.id) }));
  return { ...row, data: event.data, messages: all };
}

function pageAttempt(parts: Parts, event: SandboxEvent, one: AttemptRecord): PageAttempt {
  const { attempt: number, time, status, durationMs, error, exchange } = one;
  const body = webhookBody(event.type, event.data);
  return {
    number,
    time,
    outcome: outcomeWord(one),
    status,
    durationMs,
    error,
    request: exchange && { url: urlWithoutQuery(one.url ?? ""), headers: exchange.sent, body },
    answer: exchange?.answer,
    signature: exchange && signatureOf(parts, one.destinationId, { headers: exchange.sent, body }),
  };
}

/** A URL without its query, which may have a credential. */
export function urlWithoutQuery<Text extends string | undefined>(text: Text): Text | string {
  const url = URL.parse(text ?? "");
  if (url === null) return text;
  return `${url.origin}${url.pathname}${url.search === "" ? "" : `?${REDACTED}`}`;
}

/** What a receiver with the secret of the destination says of a message. */
function signatureOf(
  { store }: Parts,
  destinationId: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): PageAttempt["signature"] {
  const destination = store.world.destinations.find(({ id }) => id === destinationId);
  if (destination === undefined) return undefined;
  const message = { headers: Object.entries(headers), body: Buffer.from(body) };
  // A receiver checks a message when it comes.
  const now = new Date(Number(headers[SIGNATURE_HEADERS.timestamp]) * 1000);
  const verdict = examineSignature(message, { secrets: signingSecrets(destination), now });
  if (verdict.valid) return { verdict: "The signature is valid" };
  const detail = [verdict.reason, ...(verdict.advice ?? [])].filter(Boolean).join(". ");
  return { verdict: "The signature is not valid", detail };
}

const MAX_LISTED = 1000;

/** The events of a project, the newest first; `before` is the ID of the last one that is known. */
export function listEvents(
  call: OperationCall,
  projectId: string,
): { events: readonly EventRow[]; more: boolean } {
  const names = ["limit", "before", "event", "destination", "result", "search"] as const;
  const { limit, before, event, destination, result, search } = queryFilters(call, names);
  const most = wholeNumber("limit", limit, { least: 1, most: MAX_LISTED }) ?? 100;
  const wanted = search?.toLowerCase();
  const known = call.events.history.events();
  const from = before === undefined ? 0 : known.findIndex(({ id }) => id === before) + 1;
  // An event that was dropped from the history was older than all events in it.
  const rest = before !== undefined && from === 0 ? [] : known.slice(from);
  const found: EventRow[] = [];
  for (const each of rest) {
    if (each.projectId !== projectId || (event !== undefined && each.type !== event)) continue;
    const row = eventRow(call, each);
    const isShown =
      (destination === undefined ||
        row.messages.some((one) => [one.destination, one.destinationName].includes(destination))) &&
      (result === undefined || hasResult(row, result)) &&
      (wanted === undefined ||
        `${textOf(row)} ${JSON.stringify(each.data)}`.toLowerCase().includes(wanted));
    if (!isShown) continue;
    if (found.length === most) return { events: found, more: true };
    found.push(row);
  }
  return { events: found, more: false };
}

function hasResult({ messages }: EventRow, wanted: string): boolean {
  if (wanted === "nobody") return messages.length === 0;
  return messages.some(({ result }) => result === wanted);
}

function textOf({ id, type, about, messages }: EventRow): string {
  const texts = messages.flatMap((one) => [one.id, one.destinationName]);
  return [id, type, about, ...texts].join(" ");
}
