import { EVENT_TYPES, eventType } from "../api/catalogue/events.ts";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { type Capture, parseCaptures } from "../events/capture.ts";
import { DATA_MESSAGES, isDataMessage } from "../events/message.ts";
import type { EventData } from "../events/payloads.ts";
import { MAX_DEPTH, truncateDeep } from "../secrets/answer.ts";
import { isJsonObject, jsonOf, parseJson } from "../values/json.ts";
import { mistypedName, nearest } from "../values/nearest.ts";
import type { Editing } from "./edit.ts";

/** The names that a trigger takes: event types, and the data messages. */
export const TRIGGERS: readonly string[] = [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)];

/** The options that make or change a payload. */
export interface PayloadOptions {
  /** The fields of the event; absent: sample data. */
  readonly given?: EventData | undefined;
  readonly set: readonly FieldChange[];
  readonly unset: readonly string[];
  readonly edit: boolean;
}

/**
 * Looks for an event type that amp does not know; the list of the platform grows.
 * @throws {UsageError} where a known one has nearly this name, unless `--yes` was given
 */
export function assertKnownType(
  { report, yes }: Pick<CommandContext, "report" | "yes">,
  type: string,
): void {
  if (eventType(type) !== undefined || isDataMessage(type)) return;
  const problem = `Unknown event type ${JSON.stringify(type)}`;
  const near = nearest(type, TRIGGERS);
  if (near === undefined || yes) {
    report.warn(problem);
    return;
  }
  throw mistypedName(problem, { near, anyway: "add --yes", done: "Nothing was triggered." });
}

/** The fields of an event after `--set`, `--unset` and `--edit`. */
export async function changedData(
  context: Editing,
  { given, set, unset, edit }: PayloadOptions,
  sample: () => Promise<EventData>,
): Promise<EventData> {
  const changed = shallowEnough(unsetFields(setFields(given ?? (await sample()), set), unset));
  if (!edit) return changed;
  const { editData } = await import("./edit.ts");
  return shallowEnough(await editData(context, changed));
}

/** @throws {UsageError} for fields that are nested too deeply to be written as JSON */
function shallowEnough(data: EventData): EventData {
  if (truncateDeep(data) === data) return data;
  throw new UsageError(`The payload has more than ${MAX_DEPTH} levels of nesting`, {
    done: "Nothing was sent.",
  });
}

/** The content of a file of `--from`: saved messages, or a payload. */
interface FileContent {
  readonly saved?: readonly Capture[];
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
    if (!/^\s*(?:\{[^\n]*\}\s*\n\s*\{|[A-Z]+ \S|[\w-]+:)/u.test(text)) {
      throw new UsageError(`${name} is not valid JSON`, {}, { cause: error });
    }
    return { saved: parseCaptures(bytes, name) };
  }
  const [first = payload] = [payload].flat();
  if (isJsonObject(first) && "headers" in first && ("body" in first || "bodyBase64" in first)) {
    return { saved: parseCaptures(bytes, name) };
  }
  if (!isJsonObject(payload)) throw new UsageError(`${name} is not a JSON object`);
  const { notificationType: type, data } = payload;
  return typeof type === "string" && isJsonObject(data) ? { type, data } : { data: payload };
}

/** The words for a file of `--from` in messages. */
export function fileName(file: string): string {
  return file === "-" ? "Standard input" : file;
}

/** A change of one field: its path, such as `config.read` or `errors.0`, and its new value. */
type FieldChange = readonly [path: string, typed: string];

/**
 * Sets fields of an event. A value that is JSON is taken as that, any other as text: `true` and `5`
 * are a boolean and a number, `"5"` in quotes is a text.
 * @throws {UsageError} for a path through something that has no fields
 */
function setFields(data: EventData, changes: readonly FieldChange[]): EventData {
  let changed: unknown = data;
  for (const [path, typed] of changes) changed = setAt(changed, path.split("."), path, typed);
  return changed as EventData;
}

/**
 * Removes fields of an event.
 * @throws {UsageError} for a field that the event does not have
 */
function unsetFields(data: EventData, paths: readonly string[]): EventData {
  let changed: unknown = data;
  for (const path of paths) changed = removeAt(changed, path.split("."), path);
  return changed as EventData;
}

function setAt(value: unknown, keys: readonly string[], path: string, typed: string): unknown {
  const [key = "", ...rest] = keys;
  if (key === "") throw new UsageError(`--set ${path}: the path has an empty part`);
  // What is missing becomes a list where its first item is set.
  const empty = rest[0] === "0" ? [] : {};
  const next = (current: unknown) =>
    rest.length === 0 ? typedValue(typed) : setAt(current ?? empty, rest, path, typed);
  if (Array.isArray(value)) {
    const at = indexIn(key, value.length);
    if (at === undefined) {
      throw new UsageError(`--set ${path}: ${key} is not an index from 0 to ${value.length}`);
    }
    return [...value.slice(0, at), next(value[at]), ...value.slice(at + 1)];
  }
  if (!isJsonObject(value)) {
    throw new UsageError(`--set ${path}: ${key} would be a field of ${JSON.stringify(value)}`);
  }
  const current = Object.hasOwn(value, key) ? value[key] : undefined;
  return { ...value, [key]: next(current) };
}

function removeAt(value: unknown, keys: readonly string[], path: string): unknown {
  const [key = "", ...rest] = keys;
  if (Array.isArray(value)) {
    const at = indexIn(key, value.length - 1);
    if (at === undefined) throw unknownField(path, key, []);
    const kept = rest.length === 0 ? [] : [removeAt(value[at], rest, path)];
    return [...value.slice(0, at), ...kept, ...value.slice(at + 1)];
  }
  const fields = isJsonObject(value) ? value : {};
  if (!Object.hasOwn(fields, key)) throw unknownField(path, key, Object.keys(fields));
  const { [key]: removed, ...others } = fields;
  return rest.length === 0 ? others : { ...fields, [key]: removeAt(removed, rest, path) };
}

function unknownField(path: string, key: string, known: readonly string[]): UsageError {
  const near = nearest(key, known);
  const remedy = near === undefined ? {} : { remedy: `Did you mean ${near}?` };
  return new UsageError(`--unset ${path}: the event has no such field`, remedy);
}

function indexIn(key: string, last: number): number | undefined {
  return /^\d{1,9}$/u.test(key) && Number(key) <= last ? Number(key) : undefined;
}

function typedValue(typed: string): unknown {
  const value = jsonOf(typed);
  return value === undefined ? typed : value;
}
