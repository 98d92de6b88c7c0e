import { UsageError } from "../../errors.ts";
import type { RawAnswer, RawRequest } from "./endpoint.ts";

/**
 * Fills `{project}` and `{org}` into a path, each as one encoded segment.
 * @throws {UsageError} for an unknown placeholder, or one without a value
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
  if (!/^[A-Z]+$/u.test(method))
    throw new UsageError(`${JSON.stringify(method)} is not a valid HTTP method`);
  const hasQuery = body !== undefined || ["GET", "HEAD", "DELETE"].includes(method);
  if (fields.length > 0 && !hasQuery) {
    return { method, path, body: JSON.stringify(Object.fromEntries(fields)) };
  }
  const pairs = fields.map(([key, value]): [string, string] => [key, value]);
  const joint = path.includes("?") ? "&" : "?";
  const query = fields.length === 0 ? "" : joint + new URLSearchParams(pairs).toString();
  return { method, path: path + query, ...(body === undefined ? {} : { body }) };
}

/** The status line and the headers of an answer, as HTTP writes them. */
export function answerHead(answer: RawAnswer): string {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
  const line = `HTTP ${answer.status} ${answer.statusText}`.trimEnd();
  return `${line}\n${headers}\n`;
}
