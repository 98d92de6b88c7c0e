import { apiErrors } from "../api/errors.ts";
import type { RawAnswer, RawRequest } from "../api/operations/endpoint.ts";
import {
  defineCommand,
  flag,
  inputFile,
  pair,
  required,
  several,
  text,
  uuid,
} from "../cli/define.ts";
import type { AmpError } from "../errors.ts";
import { inputErrors } from "../values/errors.ts";
import { parseJson } from "../values/json.ts";
import { isWrite } from "../values/writes.ts";
import { commandErrors } from "./errors.ts";

const OFFERED_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

export default defineCommand({
  description:
    "The path is relative to the base URL, or a full URL of the same origin; {project}, {org} and {integration} are replaced. The response body is written to stdout unchanged, whatever its status, including any secrets in it; JSON ends with a line end, and is indented on a terminal. An error status also sets the exit code.",
  args: {
    methodOrPath: required(
      text("path, for example /projects/{project}/topics; or the HTTP method before it", {
        suggestions: OFFERED_METHODS,
      }),
    ),
    path: text("path, after a method (default method: GET)"),
  },
  options: {
    method: text("the HTTP method, in place of the argument", {
      placeholder: "method",
      short: "-X",
      suggestions: OFFERED_METHODS,
    }),
    field: several(
      pair(
        "field of the query (GET, DELETE, or with --input) or else of the JSON body; key:=5 sets a JSON value, key[]=a adds an item to a list",
      ),
    ),
    input: inputFile("file to send as the body; - for standard input"),
    include: flag("print the status line and headers before the body"),
    org: text("organisation ID for {org}", { placeholder: "id", setting: "org" }),
    integration: uuid("integration ID for {integration}", { setting: "integration" }),
  },
  effect: "write",
  writes: ({ args, options }) => {
    const { method, path } = methodAndPath(args, options.method);
    return isWrite(method, rawRequest(method, path, options.field, undefined).path);
  },
  printsJson: true,
  examples: [
    "amp api /projects/{project}/topics",
    "amp api /projects/{project}/installations --field groupRef=acme --include",
    "amp api POST /projects/{project}/topics --field name=lifecycle",
    "amp api POST /path --field count:=5 --field 'ids[]=a' --field 'ids[]=b'",
  ],
  run: async ({ api, args, options, settings, target, output, files, write, writeBody }) => {
    if (options.include && output.jq !== undefined) {
      throw inputErrors.options_conflict(
        "--include",
        "--jq",
        "Use one of them: headers are not JSON.",
        "Nothing was sent.",
      );
    }
    const { method, path } = methodAndPath(args, options.method);
    const body = options.input === undefined ? undefined : await files.read(options.input);
    // Without a login that is the error, and no placeholder.
    const { baseUrl } = target();
    const filled = fillPlaceholders(path, {
      project: settings.get("project")?.value,
      org: options.org,
      integration: options.integration,
    });
    const answer = await api.raw(rawRequest(method, filled, options.field, body));
    if (options.include) await write(answerHead(answer));
    const isJson = /\bjson\b/iu.test(new Map(answer.headers).get("content-type") ?? "");
    // A program of --jq is written for the answer of a success.
    const isExplained = output.jq !== undefined && answer.error !== undefined;
    if (answer.body && !isExplained) await writeBody(answer.body, isJson);
    const error = isExplained ? await answer.explained?.() : answer.error;
    if (error === undefined) return;
    throw withPathHint(withBodyHint(error, method, body ?? options.field[0]), path, baseUrl);
  },
});

/** The error of an answer, with the likely reason where a write had no body. */
function withBodyHint(error: AmpError, method: string, body: unknown): AmpError {
  const { status = 0 } = error.facts;
  if (body !== undefined || ![400, 415, 422].includes(status)) return error;
  if (!/^(?:post|put|patch)$/iu.test(method)) return error;
  return error.setFacts({ remedy: "No body was sent: add --field key=value, or --input FILE." });
}

/**
 * The error of an unknown path, with the likely reason where it repeats the end of the base URL.
 */
function withPathHint(error: AmpError, path: string, baseUrl: string): AmpError {
  const [version] = /\/v\d+$/u.exec(baseUrl.replace(/\/$/u, "")) ?? [];
  const typed = `/${path.replace(/^\//u, "")}/`;
  if (error.facts.status !== 404 || version === undefined) return error;
  if (!typed.startsWith(`${version}/`)) return error;
  const remedy = `The base URL already ends in ${version}: leave it out of the path.`;
  return error.setFacts({ remedy });
}

const METHODS = /^(?:get|head|post|put|patch|delete)$/iu;

/** The method, by default GET, and the path: `GET /topics` or `/topics`. */
function methodAndPath(
  { methodOrPath, path }: { methodOrPath: string; path: string | undefined },
  option: string | undefined,
) {
  if (path !== undefined && /^(?:\/|https?:)/u.test(methodOrPath))
    throw commandErrors.path_not_last();
  if (option !== undefined) {
    if (path === undefined) return { method: option.toUpperCase(), path: methodOrPath };
    throw commandErrors.method_twice();
  }
  if (path !== undefined) return { method: methodOrPath.toUpperCase(), path };
  if (!METHODS.test(methodOrPath)) return { method: "GET", path: methodOrPath };
  throw commandErrors.path_missing(methodOrPath.toUpperCase());
}

const PLACEHOLDERS = ["project", "org", "integration"] as const;

/**
 * Fills `{project}`, `{org}` and `{integration}` into a path, each as one encoded segment.
 * @throws {UsageError} for an unknown placeholder, or one without a value
 */
function fillPlaceholders(
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
function rawRequest(
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
function answerHead({ status, statusText, headers }: RawAnswer): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`).join("");
  return `${`HTTP ${status} ${statusText}`.trimEnd()}\n${lines}\n`;
}
