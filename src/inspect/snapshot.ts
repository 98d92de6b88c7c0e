import { UsageError } from "../errors.ts";
import { redactAnswer } from "../secrets/answer.ts";
import { isJsonObject, jsonProblem, parseJson } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { tried } from "../values/tried.ts";

/** A record as JSON has it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A saved list of installations: the JSON that `installations list` printed. */
export interface Snapshot {
  /** The file as it was named. */
  readonly file: string;
  readonly records: ReadonlyMap<string, JsonRecord>;
}

/**
 * Reads a saved list: one JSON document with a list or a single installation, or a line of JSON for
 * each. Secrets are redacted, as in an answer of the service: the file may come from anywhere.
 * @param file the name of the file, for messages
 * @throws {UsageError} for anything else
 */
export function readSnapshot(text: string, file: string): Snapshot {
  const values = valuesOf(text, file);
  const records = new Map<string, JsonRecord>();
  for (const value of values) {
    if (!isJsonObject(value) || typeof value.id !== "string" || value.id === "") continue;
    records.set(value.id, redactAnswer(value));
  }
  if (records.size === 0 && values.length > 0) {
    throw noSnapshot(file, "It has no record with an id.");
  }
  return { file, records };
}

function valuesOf(text: string, file: string): readonly unknown[] {
  const whole = tryParse(text);
  if (whole !== undefined) {
    if (Array.isArray(whole.value)) return whole.value;
    if (isJsonObject(whole.value)) return [whole.value];
    throw noSnapshot(file, "It is neither a list nor an object.");
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(tryParse);
  const bad = values.indexOf(undefined);
  if (bad < 0 && values.length > 0) return values.map((one) => one?.value);
  // Where the first line is JSON, the file was meant as lines.
  const isLines = bad > 0;
  throw noSnapshot(
    file,
    isLines ? `Line ${bad + 1} ${jsonProblem(lines[bad] ?? "")}.` : `It ${jsonProblem(text)}.`,
  );
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  return tried(() => ({ value: parseJson(text) }));
}

function noSnapshot(file: string, detail: string): UsageError {
  return new UsageError(`${file} is not a saved list of installations`, {
    detail,
    remedy: "Save one as JSON, for example with > monday.json after this command.",
    suggestion: suggest("installations list", [], { allIntegrations: true, json: true }),
  });
}
