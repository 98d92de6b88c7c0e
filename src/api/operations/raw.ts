import { parseJson } from "../../values/json.ts";
import { apiErrors } from "../errors.ts";
import type { RawAnswer, RawRequest } from "./endpoint.ts";

const PLACEHOLDERS = ["project", "org", "integration"] as const;

/**
 * Fills `{project}`, `{org}` and `{integration}` into a path, each as one encoded segment.
 * @throws {UsageError} for an unknown placeholder, or one without a value
 */
export function fillPlaceholders(
  path: string,
  values: Readonly<Record<(typeof PLACEHOLDERS)[number], string | undefined>>,
): string {
  return path.replace(/\{([^{}]*)\}/gu, (_, text: string) => {
    const name = PLACEHOLDERS.find((one) => one === text);
    if (name === undefined) {
      const known = PLACEHOLDERS.map((one) => `{${one}}`).join(", ");
      throw apiErrors.placeholder_unknown(text, known);
    }
    const value = values[name];
    if (value === undefined) throw apiErrors.placeholder_unset(name);
    if (value === "." || value === "..") throw apiErrors.placeholder_dots(name, value);
    return encodeURIComponent(value);
  });
}

/**
 * Makes a request from typed arguments. Fields go into the query if the method has no body or the
 * user gives one; otherwise they make a JSON object.
 * @throws {UsageError} for an invalid method
 */
export function rawRequest(
  method: string,
  path: string,
  fields: readonly (readonly [string, string])[],
  body: string | undefined,
): RawRequest {
  if (!/^[A-Z]+$/u.test(method)) throw apiErrors.method_invalid(method);
  const hasQuery = body !== undefined || ["GET", "HEAD", "DELETE"].includes(method);
  if (fields.length > 0 && !hasQuery) {
    return { method, path, body: JSON.stringify(bodyOf(fields)) };
  }
  const pairs = fields.map(([key, text]): [string, string] => {
    const { name, isList, value } = typedField(key, text);
    // A query has no types, and its lists are made by repetition: `[]` is a part of the name.
    return [isList ? `${name}[]` : name, typeof value === "string" ? value : JSON.stringify(value)];
  });
  const joint = path.includes("?") ? "&" : "?";
  const query = fields.length === 0 ? "" : joint + new URLSearchParams(pairs).toString();
  return { method, path: path + query, ...(body === undefined ? {} : { body }) };
}

/** The fields as one object; a field `name[]` adds to a list. */
function bodyOf(fields: readonly (readonly [string, string])[]): object {
  const values = new Map<string, unknown>();
  for (const [key, text] of fields) {
    const { name, isList, value } = typedField(key, text);
    const before = values.get(name);
    if (isList && (before === undefined || Array.isArray(before))) {
      values.set(name, [...(before ?? []), value]);
    } else if (values.has(name)) {
      throw apiErrors.field_twice(name);
    } else values.set(name, value);
  }
  return Object.fromEntries(values);
}

/**
 * `name:=5` is a JSON value, `name[]=a` an item of a list, `name[]:=5` both; otherwise it is text.
 */
function typedField(key: string, text: string) {
  const isJson = key.endsWith(":");
  const path = isJson ? key.slice(0, -1) : key;
  const isList = path.endsWith("[]");
  const name = isList ? path.slice(0, -2) : path;
  if (name === "") throw apiErrors.field_without_name(key, text);
  return { name, isList, value: isJson ? jsonValue(name, text) : text };
}

function jsonValue(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw apiErrors.field_not_json(name, text);
  }
}

/** The status line and the headers of an answer, as HTTP writes them. */
export function answerHead(answer: RawAnswer): string {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
  const line = `HTTP ${answer.status} ${answer.statusText}`.trimEnd();
  return `${line}\n${headers}\n`;
}
