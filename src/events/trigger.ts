import { randomBytes } from "node:crypto";
import { PAUSED } from "../api/catalogue/events.ts";
import { refuseMistakes } from "../api/catalogue/mistakes.ts";
import { getSamplePayload, listDeliveries, triggerEvent } from "../api/operations/endpoints.ts";
import type { DeliveryAttempt, Triggered } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { DeliveryDocument, MessageAttempt, SentMessages } from "../documents/events.ts";
import { stops } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { MAX_DEPTH, truncateDeep } from "../secrets/answer.ts";
import { utf8Text } from "../values/basics.ts";
import { counted } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { isEmptyValue, isJsonObject, jsonOf, parseJson, plainText } from "../values/json.ts";
import { nearest, nearMiss } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  addressCell,
  type Block,
  type Cell,
  id,
  type Page,
  row,
  rowsOfItems,
  table,
  toned,
  type ViewRows,
} from "../view/view.ts";
import { parseCaptures } from "./capture.ts";
import { attemptOf, type Delivery, deliveryDocument, deliveryOf, isDelivered } from "./delivery.ts";
import type { Editing } from "./edit.ts";
import { eventErrors } from "./errors.ts";
import type { EventData } from "./message/payloads.ts";
import { signatureHeaders } from "./message/signature.ts";
import { deliveryBlocks } from "./page.ts";
import { readSigningSecrets, type SecretFrom } from "./receiver-options.ts";

interface PayloadOptions {
  /** The fields of the event; absent: sample data. */
  readonly given?: EventData | undefined;
  readonly set: readonly FieldChange[];
  readonly unset: readonly string[];
  readonly edit: boolean;
  /** The words of `--allow`. */
  readonly allow: readonly string[];
}

/**
 * The fields of an event after `--set`, `--unset` and `--edit`.
 * @throws {UsageError} for a path that the event cannot have, or to remove one that it has not
 */
export async function changedData(
  context: Editing,
  { given, set, unset, edit, allow }: PayloadOptions,
  sample: () => Promise<EventData>,
): Promise<EventData> {
  let changed: unknown = given ?? (await sample());
  for (const [path, typed] of set) {
    assertNoNearMiss(changed, path, allow);
    changed = setAt(changed, path.split("."), path, typed);
  }
  for (const path of unset) changed = removeAt(changed, path.split("."), path);
  const data = shallowEnough(changed as EventData);
  if (!edit) return data;
  const { editData } = await import("./edit.ts");
  return shallowEnough(await editData(context, data));
}

/** @throws {UsageError} for fields that are nested too deeply to be written as JSON */
function shallowEnough(data: EventData): EventData {
  if (truncateDeep(data) === data) return data;
  throw eventErrors.payload_too_deep(MAX_DEPTH);
}

interface FileContent {
  readonly saved?: readonly Delivery[];
  readonly data?: EventData;
  /** The event type, if the payload names it. */
  readonly type?: string;
}

/**
 * Reads a file of `--from`: messages that `amp listen --save` wrote, the fields of an event, or the
 * whole body of a webhook.
 * @throws {UsageError} for anything else
 */
export async function readFrom(
  { files }: Pick<CommandContext, "files">,
  file: string,
): Promise<FileContent> {
  const name = fileName(file);
  const bytes = await files.readBytes(file);
  const text = Buffer.from(bytes).toString("utf8");
  let payload: unknown;
  try {
    payload = parseJson(text);
  } catch (error) {
    // Saved messages are lines of JSON, or an HTTP request.
    if (!/^\s*(?:\{[^\n]*\}\s*\n\s*\{|[A-Z]+ \S|[\w-]+:)/u.test(text))
      throw inputErrors.not_json(name, error);
    return { saved: parseCaptures(bytes, name) };
  }
  const [first = payload] = [payload].flat();
  if (isJsonObject(first) && "headers" in first && ("body" in first || "bodyBase64" in first)) {
    return { saved: parseCaptures(bytes, name) };
  }
  if (!isJsonObject(payload)) throw eventErrors.payload_not_object(name);
  const { notificationType: type, data } = payload;
  return typeof type === "string" && isJsonObject(data) ? { type, data } : { data: payload };
}

/** The words for a file of `--from` in messages. */
export function fileName(file: string): string {
  return file === "-" ? "Standard input" : file;
}

/** A change of one field: its path, such as `config.read` or `errors.0`, and its new value. */
type FieldChange = readonly [path: string, typed: string];

/** @throws {UsageError} for a field that the event does not have, and that is nearly one that it has */
function assertNoNearMiss(data: unknown, path: string, allow: readonly string[]): void {
  let value = data;
  for (const key of path.split(".")) {
    if (!isJsonObject(value)) return;
    if (!Object.hasOwn(value, key)) {
      const near = nearMiss(key, Object.keys(value));
      if (near === undefined) return;
      const message = `--set ${path}: the event has no field ${key}: did you mean ${near}?`;
      refuseMistakes([{ path: [], message, allow: "unknown" }], allow, () => {});
      return;
    }
    value = value[key];
  }
}

function setAt(value: unknown, keys: readonly string[], path: string, typed: string): unknown {
  const [key = "", ...rest] = keys;
  if (key === "") throw eventErrors.set_path_empty(path);
  // What is missing becomes a list where its first item is set.
  const empty = rest[0] === "0" ? [] : {};
  const next = (current: unknown) =>
    rest.length === 0 ? typedValue(typed) : setAt(current ?? empty, rest, path, typed);
  if (Array.isArray(value)) {
    const at = indexIn(key, value.length);
    if (at === undefined) throw eventErrors.set_index(path, key, value.length);
    return [...value.slice(0, at), next(value[at]), ...value.slice(at + 1)];
  }
  if (!isJsonObject(value)) throw eventErrors.set_into_value(path, key, JSON.stringify(value));
  const current = Object.hasOwn(value, key) ? value[key] : undefined;
  return { ...value, [key]: next(current) };
}

function removeAt(value: unknown, keys: readonly string[], path: string): unknown {
  const [key = "", ...rest] = keys;
  if (Array.isArray(value)) {
    const at = indexIn(key, value.length - 1);
    if (at === undefined) throw eventErrors.unset_field_unknown(path);
    const kept = rest.length === 0 ? [] : [removeAt(value[at], rest, path)];
    return [...value.slice(0, at), ...kept, ...value.slice(at + 1)];
  }
  const fields = isJsonObject(value) ? value : {};
  if (!Object.hasOwn(fields, key))
    throw eventErrors.unset_field_unknown(path, nearest(key, Object.keys(fields)));
  const { [key]: removed, ...others } = fields;
  return rest.length === 0 ? others : { ...fields, [key]: removeAt(removed, rest, path) };
}

function indexIn(key: string, last: number): number | undefined {
  return /^\d{1,9}$/u.test(key) && Number(key) <= last ? Number(key) : undefined;
}

/** `true` and `5` are a boolean and a number, `"5"` in quotes is a text. */
function typedValue(typed: string): unknown {
  const value = jsonOf(typed);
  return value === undefined ? typed : value;
}

type Triggering = Pick<CommandContext, "api"> & Editing;

interface TriggerInput extends PayloadOptions {
  readonly type: string;
  readonly project: string;
  readonly installation?: string | undefined;
  readonly repeat?: number | undefined;
}

/**
 * Triggers an event in the sandbox. A service other than a sandbox is only read, never written to.
 * @throws {NotFoundError} operation_missing, where the service is not a sandbox
 */
export async function trigger(context: Triggering, input: TriggerInput): Promise<Triggered> {
  const { api, report } = context;
  const { type, project, installation, repeat } = input;
  const path = { projectIdOrName: project };
  if (input.given !== undefined) await api.call(listDeliveries, { path, query: { limit: "1" } });
  const data = await changedData(context, input, () => sampleOf(context, input));
  const result = await api.call(triggerEvent, {
    path,
    body: { type, data, installationId: installation, repeat },
  });
  // A dry run has no answer, and the answer of a service may be odd: neither says whom it reaches.
  if (isJsonObject(result) && Array.isArray(result.reaches) && result.reaches.length === 0) {
    report.notice(
      `No destination receives ${type}. To find out why:`,
      suggest("notify graph", [type]),
    );
  }
  return result;
}

/** The fields that the sandbox would give an event. */
export async function sampleOf(
  { api }: Pick<CommandContext, "api">,
  { type, project, installation }: Pick<TriggerInput, "type" | "project" | "installation">,
): Promise<EventData> {
  const answer: unknown = await api.call(getSamplePayload, {
    path: { projectIdOrName: project },
    query: { type, installationId: installation },
  });
  return isJsonObject(answer) && isJsonObject(answer.data) ? answer.data : {};
}

/** A list of an answer, which may be odd. */
function listOf<Name extends "eventIds" | "reaches">(
  result: Triggered,
  name: Name,
): readonly Triggered[Name][number][] {
  const list: unknown = isJsonObject(result) ? result[name] : [];
  return Array.isArray(list) ? list : [];
}

/** The IDs of the events that occurred. */
export function eventIdsOf(result: Triggered): readonly string[] {
  return listOf(result, "eventIds").map(String);
}

/** The page of an event that occurred. */
export function triggeredPage(result: Triggered): Page {
  const ids = eventIdsOf(result);
  const [first = "", ...others] = ids;
  const events = others.length === 0 ? first : `${ids.length}, the first ${first}`;
  const reaches = listOf(result, "reaches");
  const notSent = Map.groupBy(
    reaches.filter((each) => each?.reason),
    ({ reason }) => String(reason),
  );
  return {
    title: `Triggered ${isJsonObject(result) ? String(result.type ?? "") : ""}`,
    blocks: [
      {
        kind: "rows",
        inRows: true,
        rows: row(others.length === 0 ? "Event" : "Events", events),
      },
      {
        kind: "grid",
        heading: "Goes to",
        inRows: true,
        columns: ["Topic", "Destination", "Type", "Result"],
        rows: reaches.map((each) => [
          each?.topicName ?? "",
          addressCell(String(each?.destinationName ?? "")),
          String(each?.destinationType ?? ""),
          reachCell(each?.reason),
        ]),
      },
      // Below the table, since a narrow terminal would cut them there.
      ...[...notSent].map(([reason, all]): Block => {
        const names = new Set(all.map(({ destinationName }) => destinationName));
        const what = reason === PAUSED ? "Waits for" : "Not sent to";
        const text = `${what} ${[...names].join(", ")}: ${reason}.`;
        // One beside others is of little interest: the table has its state.
        const isAll = reaches.every((each) => each?.reason);
        return { kind: "text", text, tone: isAll ? "attention" : "dim" };
      }),
    ],
  };
}

/** A row for each event and destination that it goes to; of an event that goes nowhere, one too. */
export function triggeredRows(result: Triggered): ViewRows {
  const reaches = listOf(result, "reaches");
  const shown: readonly Partial<Triggered["reaches"][number] | null>[] =
    reaches.length === 0 ? [null] : reaches;
  const items = eventIdsOf(result).flatMap((event) =>
    shown.map((each) => ({ ...each, id: event })),
  );
  return rowsOfItems(
    items,
    table<(typeof items)[number]>(["event", "events"], {
      Event: ({ id: event }) => id(event),
      Topic: "topicName",
      Destination: "destinationName",
      Type: "destinationType",
      Result: (each) => (each.destinationName ? reachCell(each.reason) : undefined),
    }),
  );
}

/** What becomes of a message; a pipe has the reason beside it. */
function reachCell(reason: string | null | undefined): Cell {
  if (!reason) return toned("good", "queued");
  const text = reason === PAUSED ? "waits" : "not sent";
  return { text, raw: `${text}: ${reason}`, tone: "attention" };
}

/** New messages of one event, each with its own ID. */
export function newMessages(body: string, count = 1): Delivery[] {
  const headers: Delivery["headers"] = [
    ["content-type", "application/json"],
    ["user-agent", "amp"],
  ];
  const message = deliveryOf({ headers, body: Buffer.from(body) });
  return Array.from({ length: count }, () => ({ ...message, id: newId() }));
}

function newId(): string {
  return `msg_amptest_${randomBytes(8).toString("hex")}`;
}

/** Headers that a fresh signature replaces. */
const SIGNATURE = /^(?:svix|webhook)-(?:id|timestamp|signature)$/iu;

/**
 * Saved messages, each with its own ID: receivers know a message that comes twice by it.
 * @param event the only event type to send; undefined: all
 * @param source the name of the file, for messages
 * @throws {UsageError} for a body that cannot be signed, and where none is of the event type
 */
export function savedMessages(
  saved: readonly Delivery[],
  event: string | undefined,
  source: string,
): Delivery[] {
  const messages = saved.flatMap((one): Delivery[] => {
    if (event !== undefined && one.event !== event) return [];
    const { id = newId(), body, headers } = one;
    if (utf8Text(body) === undefined) throw eventErrors.capture_body_not_utf8(source, id);
    return [{ ...one, id, headers: headers.filter(([name]) => !SIGNATURE.test(name)) }];
  });
  if (messages.length > 0) return messages;
  throw eventErrors.capture_without_message(source, event);
}

/** Sends messages to one URL, one after the other, each with a signature of now. */
export async function sendTo(
  context: Pick<
    CommandContext,
    "files" | "interactive" | "now" | "prompt" | "report" | "signal" | "yes"
  >,
  { url, secrets }: { readonly url: URL; readonly secrets: readonly SecretFrom[] },
  messages: readonly Delivery[],
): Promise<SentMessages> {
  const { now, signal } = context;
  if (secrets.length === 0) throw eventErrors.signing_secret_missing();
  const keys = await readSigningSecrets(secrets, context);
  // A receiver on another machine may be in use: nothing is sent there by mistake.
  if (!isLoopback(url.hostname)) {
    await confirm(context, {
      message: `Send ${counted(messages.length, "message")} to ${url.host}?`,
      needed: `Sending to ${url.host} needs confirmation`,
      done: "Nothing was sent.",
    });
  }
  // Loaded here, because node:http comes with it.
  const { post, sentHeaders } = await import("./message/post.ts");
  const sent: DeliveryDocument[] = [];
  for (const { time: _, ...message } of messages) {
    if (signal.aborted) break;
    const body = Buffer.from(message.body).toString("utf8");
    const signed = signatureHeaders({ id: message.id ?? "", time: now(), body }, keys);
    const headers = { ...sentHeaders(message.headers), ...signed };
    const attempt = attemptOf(await post(url, { headers, body }), { url, headers });
    sent.push(deliveryDocument({ ...message, attempts: [attempt] }));
  }
  if (signal.aborted) {
    const were = sent.length === 1 ? "was" : "were";
    const done = `${sent.length} of ${counted(messages.length, "message")} ${were} sent.`;
    throw stops.interrupted().setFacts({ done });
  }
  return { messages: sent };
}

/** The attempts that a sandbox made at once, as messages that were sent. */
export function sentAgain(attempts: readonly DeliveryAttempt[]): SentMessages {
  // In a dry run there are none, and the answer of a service may be odd.
  const all: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const kept = (facts: object) =>
    Object.fromEntries(Object.entries(facts).filter(([, value]) => !isEmptyValue(value)));
  return {
    messages: all.filter(isJsonObject).map((one): DeliveryDocument => {
      const { url, status, durationMs, error, response } = one;
      const outcome = plainText(one.outcome);
      const attempt = kept({ url, outcome, status, durationMs, error, response }) as MessageAttempt;
      return { ...kept({ id: one.messageId, event: one.eventType }), attempts: [attempt] };
    }),
  };
}

/** Whether a result is that of messages; the other is an answer, and may be odd. */
export function isSent(result: unknown): result is SentMessages {
  return isJsonObject(result) && "messages" in result;
}

/** The page of messages that were sent. */
export function sentPage({ messages }: SentMessages): Page {
  return {
    title: `Sent ${counted(messages.length, "message")}`,
    aside: `${messages.filter(isDelivered).length} of ${messages.length} delivered`,
    blocks: deliveryBlocks(messages),
  };
}
