import type * as z from "zod/mini";
import { destinationProblems } from "../api/catalogue/destination-problems.ts";
import { isJsonObject } from "../values/json.ts";
import { hasValues, type OperationCall } from "./operation.ts";
import { invalidInput, Refusal, type RefusedInput } from "./problem.ts";

/** Rules for a body beyond its schema; they also run for a body that the schema refuses. */
export type BodyRules = (body: Readonly<Record<string, unknown>>) => readonly RefusedInput[];

/**
 * Checks a body against its schema and its rules, with one issue for each invalid input.
 * @throws {Refusal} 422
 */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  rules: BodyRules = () => [],
): Body {
  const read = schema.safeParse(body);
  const shape = read.success ? [] : read.error.issues.flatMap((issue) => issuesOf(issue, body));
  const issues = new Map<string, RefusedInput>();
  for (const issue of [...shape, ...(isJsonObject(body) ? rules(body) : [])]) {
    if (!issues.has(issue.name)) issues.set(issue.name, issue);
  }
  if (read.success && issues.size === 0) return checkedFields(read.data, body);
  throw invalidInput([...issues.values()]);
}

/** The checked fields as they were sent: zod's copy of a map drops a field named __proto__. */
function checkedFields<Body>(checked: Body, body: unknown): Body {
  if (!isJsonObject(checked) || !isJsonObject(body)) return checked;
  return Object.fromEntries(Object.keys(checked).map((key) => [key, body[key]])) as Body;
}

/** An issue with an input of the body. Secrets are not sent back. */
export function issueInBody(name: string, value: unknown, detail: string): RefusedInput {
  const secret = name === "secrets" || name.startsWith("secrets.");
  const shown = secret && value !== undefined ? "(not repeated)" : (value ?? null);
  return { in: "body", name, value: shown, detail };
}

function issuesOf(issue: z.core.$ZodIssue, body: unknown): readonly RefusedInput[] {
  const path = issue.path.map(String);
  const value = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), body);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      issueInBody(
        [...path, key].join("."),
        isJsonObject(value) ? value[key] : null,
        "is not allowed",
      ),
    );
  }
  return [issueInBody(path.join(".") || "body", value, detailOf(issue, value))];
}

function detailOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "is required";
  if (issue.code === "too_small") return "must not be empty";
  if (issue.code === "invalid_type") {
    return issue.expected === "string" ? "must be a string" : "must be an object";
  }
  return issue.message;
}

/** The issues with the paths of an update mask. */
export function maskIssues(
  mask: unknown,
  problemOf: (path: string) => string | undefined,
): RefusedInput[] {
  if (!Array.isArray(mask)) return [];
  return mask.flatMap((path: unknown, at) => {
    const problem = problemOf(String(path));
    return problem === undefined ? [] : issueInBody(`updateMask.${at}`, path, problem);
  });
}

/** A record with the field of a mask replaced; a field that the request omits is removed. */
export function masked<Each>(
  current: Each,
  [key = "", ...below]: readonly string[],
  given: unknown,
): Each {
  const record: Readonly<Record<string, unknown>> = isJsonObject(current) ? current : {};
  const own = isJsonObject(given) && Object.hasOwn(given, key) ? given[key] : undefined;
  const value = below.length === 0 ? own : masked(record[key], below, own);
  const { [key]: _, ...others } = record;
  // A field that is replaced keeps its place.
  return (value === undefined ? others : { ...record, [key]: value }) as Each;
}

/** The rules for a destination's name: letters, digits and dashes. */
export const destinationNameRules: BodyRules = ({ name }) =>
  typeof name === "string" && !/^[A-Za-z0-9-]*$/u.test(name)
    ? [issueInBody("name", name, "only letters, digits and dashes are allowed")]
    : [];

/** The rules for a topic's name: letters, digits and dashes, at most 64. */
export const topicNameRules: BodyRules = (body) =>
  typeof body.name === "string" && body.name.length > 64
    ? [issueInBody("name", body.name, "must have at most 64 characters")]
    : destinationNameRules(body);

/**
 * Checks that a name is unique in its project; case matters. The platform declares the 409 for
 * topics; for destinations it says only that a name must be unique.
 * @throws {Refusal} 409 if another record has it
 */
export function assertNameIsFree(
  { uniqueNames }: Pick<OperationCall, "uniqueNames">,
  noun: string,
  records: readonly { id: string; projectId: string; name: string }[],
  { id, projectId, name }: { id?: string; projectId: string; name: string },
): void {
  const others = records.filter((each) => each.id !== id);
  const existing = others.find((each) => hasValues(each, { projectId, name }));
  if (!uniqueNames || existing === undefined) return;
  throw new Refusal("name-taken", `A ${noun} named ${JSON.stringify(name)} already exists.`, {
    context: { resource: noun, id: existing.id, name },
  });
}

/** The rules for a destination's metadata and secrets by its type; an unknown type has none. */
export const destinationContentRules: BodyRules = ({ type, metadata, secrets = {} }) => {
  if (typeof type !== "string") return [];
  const content = { metadata: givenFields(metadata), secrets: givenFields(secrets) };
  return destinationProblems(type, content)
    .filter(({ part }) => isJsonObject(part === "secrets" ? secrets : metadata))
    .map(({ part, name, detail }) => issueInBody(`${part}.${name}`, content[part][name], detail));
};

/** The fields that have a value; the schema reports a part that is not an object. */
function givenFields(part: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(part)) return {};
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null));
}

/** The rules of spec 2.4 for a destination: a webhook has a URL, any string; no secrets exist. */
export const specDestinationRules: BodyRules = ({ type, metadata, secrets }) => {
  const url = isJsonObject(metadata) ? metadata.url : "";
  return [
    ...(type === "webhook" && typeof url !== "string"
      ? [issueInBody("metadata.url", url, url === undefined ? "is required" : "must be a string")]
      : []),
    ...(secrets === undefined ? [] : [issueInBody("secrets", secrets, "is not allowed")]),
  ];
};
