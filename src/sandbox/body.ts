import type * as z from "zod/mini";
import { destinationType, type Field } from "../api/catalogue/destination-types.ts";
import { type InputIssue, invalidInput, Refusal } from "./problem.ts";
import type { World } from "./world.ts";

/** Rules beyond the shape of a body; it may have any shape when they are asked. */
export type BodyRules = (body: Readonly<Record<string, unknown>>) => readonly InputIssue[];

/**
 * The body as its schema describes it, one issue for each input that is no good.
 * @throws {Refusal} 422
 */
export function parseBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  rules: BodyRules = () => [],
): Body {
  const read = schema.safeParse(body);
  const shape = read.success ? [] : read.error.issues.flatMap((issue) => issuesOf(issue, body));
  const issues = new Map<string, InputIssue>();
  for (const issue of [...shape, ...(isObject(body) ? rules(body) : [])]) {
    if (!issues.has(issue.name)) issues.set(issue.name, issue);
  }
  if (read.success && issues.size === 0) return read.data;
  throw invalidInput([...issues.values()]);
}

/** An issue of the body. Secrets are not sent back. */
export function issueInBody(name: string, value: unknown, detail: string): InputIssue {
  const secret = name === "secrets" || name.startsWith("secrets.");
  const shown = secret && value !== undefined ? "(not repeated)" : (value ?? null);
  return { in: "body", name, value: shown, detail };
}

/** An object of JSON, no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function issuesOf(issue: z.core.$ZodIssue, body: unknown): readonly InputIssue[] {
  const path = issue.path.map(String);
  const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), body);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      issueInBody(
        [...path, key].join("."),
        isObject(value) ? value[key] : null,
        "is not known here",
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

/** Letters, digits and dashes. */
export const destinationNameRules: BodyRules = ({ name }) =>
  typeof name === "string" && !/^[A-Za-z0-9-]*$/u.test(name)
    ? [issueInBody("name", name, "only letters, digits and dashes are allowed")]
    : [];

/** Letters, digits and dashes, at most 64. */
export const topicNameRules: BodyRules = (body) =>
  typeof body.name === "string" && body.name.length > 64
    ? [issueInBody("name", body.name, "must have at most 64 characters")]
    : destinationNameRules(body);

/**
 * Names are unique in their project, in the case they are written in. For topics the platform
 * declares the 409; for destinations it says only that a name must be unique.
 * @throws {Refusal} 409
 */
export function assertNameIsFree(
  world: World,
  list: "destinations" | "topics",
  { projectId, name }: { projectId: string; name: string },
): void {
  const twin = world[list].find((each) => each.projectId === projectId && each.name === name);
  if (twin === undefined) return;
  const what = list === "topics" ? "topic" : "destination";
  throw new Refusal("name-taken", `There is a ${what} named ${JSON.stringify(name)} already.`, {
    context: { resource: what, id: twin.id, name },
  });
}

type Part = "metadata" | "secrets";

/**
 * What is wrong with the metadata and the secrets of a destination of a known type; one of an
 * unknown type may hold anything. The spec knows webhooks only.
 */
export function destinationFields(
  body: Readonly<Record<string, unknown>>,
  specOnly: boolean,
): readonly InputIssue[] {
  const { type } = body;
  const known = typeof type === "string" ? destinationType(type) : undefined;
  if (known === undefined || (specOnly && type !== "webhook")) return [];
  return [
    ...checkPart("metadata", known.metadata, body.metadata),
    ...checkPart("secrets", known.secrets, body.secrets ?? {}),
    ...(known.oneOf ?? []).flatMap((names) => checkOneOf(names, body.metadata)),
  ];
}

/** A part that is no object at all is the schema's to complain about. */
function checkPart(part: Part, fields: readonly Field[], values: unknown): readonly InputIssue[] {
  if (!isObject(values)) return [];
  return fields.flatMap((field) => {
    const value = values[field.name];
    const wrong = value === undefined ? absence(field) : fault(field, value);
    return wrong === undefined ? [] : [issueInBody(`${part}.${field.name}`, value, wrong)];
  });
}

function absence({ required }: Field): string | undefined {
  return required ? "is required" : undefined;
}

function fault(field: Field, value: unknown): string | undefined {
  if (field.shape === "flag")
    return typeof value === "boolean" ? undefined : "must be true or false";
  if (field.shape === "map") {
    const map = isObject(value) && Object.values(value).every((each) => typeof each === "string");
    return map ? undefined : "must be an object of strings";
  }
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  return field.check?.(value)?.replace(/^It (.*?)\.?$/u, "$1");
}

function checkOneOf(names: readonly string[], metadata: unknown): readonly InputIssue[] {
  if (!isObject(metadata) || names.some((name) => metadata[name] !== undefined)) return [];
  const [first = ""] = names;
  return [issueInBody(`metadata.${first}`, null, `one of ${names.join(", ")} is required`)];
}
