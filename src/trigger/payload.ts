import { EVENT_TYPES, eventType } from "../api/catalogue/events.ts";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { DATA_MESSAGES, isDataMessage } from "../events/message.ts";
import type { EventData } from "../events/payloads.ts";
import { MAX_DEPTH, truncateDeep } from "../secrets/answer.ts";
import { isJsonObject, parseJson } from "../values/json.ts";
import { mistypedName, nearest } from "../values/nearest.ts";
import { type FieldChange, setFields, unsetFields } from "./change-data.ts";
import type { Editing } from "./edit.ts";

/** The names that a trigger takes: event types, and the data messages. */
export const TRIGGERS: readonly string[] = [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)];

/** The options that make or change a payload. */
export interface PayloadOptions {
  readonly from?: string | undefined;
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

/** The fields of an event after `--from`, `--set`, `--unset` and `--edit`. */
export async function changedData(
  context: Editing,
  type: string,
  { from, set, unset, edit }: PayloadOptions,
  sample: () => Promise<EventData>,
): Promise<EventData> {
  const given =
    from === undefined ? await sample() : readPayload(type, from, await context.files.read(from));
  const changed = shallowEnough(unsetFields(setFields(given, set), unset));
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

/**
 * Reads the payload of a file: the fields of the event, or the whole body of a webhook.
 * @throws {UsageError} where it is not JSON, or of another event
 */
function readPayload(type: string, file: string, text: string): EventData {
  const name = file === "-" ? "Standard input" : file;
  let payload: unknown;
  try {
    payload = parseJson(text);
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON`, {}, { cause: error });
  }
  if (!isJsonObject(payload)) throw new UsageError(`${name} is not a JSON object`);
  const { notificationType, data } = payload;
  if (notificationType === undefined || !isJsonObject(data)) return payload;
  if (notificationType === type) return data;
  throw new UsageError(`${name} has the event ${JSON.stringify(notificationType)}, not ${type}`, {
    remedy: "Pass the event type of the file, or remove notificationType from it.",
  });
}
