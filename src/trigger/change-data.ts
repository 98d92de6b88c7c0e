import { UsageError } from "../errors.ts";
import type { EventData } from "../events/payloads.ts";
import { isJsonObject } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";

/** A change of one field: its path, such as `config.read` or `errors.0`, and its new value. */
export type FieldChange = readonly [path: string, typed: string];

/**
 * Sets fields of an event. A value that is JSON is taken as that, any other as text: `true` and `5`
 * are a boolean and a number, `"5"` in quotes is a text.
 * @throws {UsageError} for a path through something that has no fields
 */
export function setFields(data: EventData, changes: readonly FieldChange[]): EventData {
  let changed: unknown = data;
  for (const [path, typed] of changes) changed = setAt(changed, path.split("."), path, typed);
  return changed as EventData;
}

/**
 * Removes fields of an event.
 * @throws {UsageError} for a field that the event does not have
 */
export function unsetFields(data: EventData, paths: readonly string[]): EventData {
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
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
