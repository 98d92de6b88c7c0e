import { UsageError } from "../../errors.ts";
import type { RawAnswer, RawRequest } from "./endpoint.ts";

/**
 * A path with `{project}` and `{org}` filled in, each as one encoded segment.
 * @throws {UsageError} for a placeholder without a value, or one that is not known
 */
export function fillPlaceholders(
  path: string,
  values: Readonly<Record<"project" | "org", string | undefined>>,
): string {
  return path.replace(/\{([^{}]*)\}/gu, (_, name: string) => {
    if (name !== "project" && name !== "org") {
      throw new UsageError(`Unknown placeholder {${name}}; choose one of: {project}, {org}`);
    }
    const value = values[name];
    if (value === undefined) throw new UsageError(`{${name}} has no value; pass --${name}`);
    if (value === "." || value === "..") throw new UsageError(`{${name}} cannot be ${value}`);
    return encodeURIComponent(value);
  });
}

/**
 * A request from what was typed: fields go into the query where a method has no body, and beside a
 * body of the user's own, which is sent as it is; else they make a JSON object.
 * @throws {UsageError} for a method that is none
 */
export function rawRequest(
  method: string,
  path: string,
  fields: readonly (readonly [string, string])[],
  body: string | undefined,
): RawRequest {
  if (!/^[A-Z]+$/u.test(method))
    throw new UsageError(`${JSON.stringify(method)} is not a valid HTTP method`);
  const json = { "content-type": "application/json" };
  if (fields.length === 0)
    return { method, path, ...(body === undefined ? {} : { body, headers: json }) };
  if (body === undefined && method !== "GET" && method !== "HEAD" && method !== "DELETE") {
    return { method, path, headers: json, body: JSON.stringify(Object.fromEntries(fields)) };
  }
  const joint = path.includes("?") ? "&" : "?";
  const query = new URLSearchParams(
    fields.map(([key, value]): [string, string] => [key, value]),
  ).toString();
  return {
    method,
    path: path + joint + query,
    ...(body === undefined ? {} : { body, headers: json }),
  };
}

/** Status line and headers, as HTTP writes them. */
export function answerHead(answer: RawAnswer): string {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
  const line = `HTTP ${answer.status} ${answer.statusText}`.trimEnd();
  return `${line}\n${headers}\n`;
}
