import type * as z from "zod/mini";
import { type Issue, invalidInput } from "./refusal.ts";

/** Rules beyond the shape of a body; it may have any shape when they are asked. */
export type Rules = (body: Readonly<Record<string, unknown>>) => readonly Issue[];

/**
 * The body as its schema describes it, one issue for each input that is no good.
 * @throws {Refusal} 422
 */
export function checkBody<Body>(
  schema: z.ZodMiniType<Body>,
  body: unknown,
  rules: Rules = () => [],
): Body {
  const read = schema.safeParse(body);
  const shape = read.success ? [] : read.error.issues.flatMap((issue) => explain(issue, body));
  const issues = new Map<string, Issue>();
  for (const issue of [...shape, ...(isObject(body) ? rules(body) : [])]) {
    if (!issues.has(issue.name)) issues.set(issue.name, issue);
  }
  if (read.success && issues.size === 0) return read.data;
  throw invalidInput([...issues.values()]);
}

/** An issue of the body. Secrets are not sent back. */
export function bodyIssue(name: string, value: unknown, detail: string): Issue {
  const secret = name === "secrets" || name.startsWith("secrets.");
  const shown = secret && value !== undefined ? "(not repeated)" : (value ?? null);
  return { in: "body", name, value: shown, detail };
}

/** An object of JSON, no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function explain(issue: z.core.$ZodIssue, body: unknown): readonly Issue[] {
  const path = issue.path.map(String);
  const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), body);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      bodyIssue([...path, key].join("."), isObject(value) ? value[key] : null, "is not known here"),
    );
  }
  return [bodyIssue(path.join(".") || "body", value, reason(issue, value))];
}

function reason(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "is required";
  if (issue.code === "too_small") return "must not be empty";
  if (issue.code === "invalid_type") {
    return issue.expected === "string" ? "must be a string" : "must be an object";
  }
  return issue.message;
}
