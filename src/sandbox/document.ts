import type * as z from "zod/mini";
import { type ErrorFacts, isKind } from "../errors.ts";
import { schemaIssueText } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { sandboxErrors } from "./errors.ts";

/**
 * Parses the text of a file for the sandbox.
 * @param file the name in messages, for example `The fault script`
 * @throws {UsageError} unless it is JSON; it quotes nothing, since a link may name a secret file
 */
export function parseDocument(file: string, text: string, facts?: ErrorFacts): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw sandboxErrors.document_not_json(file, facts, error as SyntaxError);
  }
}

/**
 * Reads a file of the sandbox. The error of one that was reached by a link quotes nothing of it: a
 * checkout may aim the link at any file of yours.
 */
export async function quotingNoLink<Result>(
  file: string,
  isLink: boolean,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isLink && isKind(error, "document_invalid")) throw sandboxErrors.document_of_link(file);
    throw error;
  }
}

/**
 * Checks a parsed file; the result has the fields in the order of the schema, not of the file.
 * @throws {UsageError} with the place of the first problem
 */
export function checkDocument<Document>(
  file: string,
  schema: z.ZodMiniType<Document>,
  value: unknown,
  facts?: ErrorFacts,
): Document {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const problem = [issue?.path.join("."), schemaIssueText(issue?.message ?? "")];
  const near = issue && nearestName(issue, schema, value);
  throw sandboxErrors.document_invalid(file, problem.filter(Boolean).join(": "), {
    ...facts,
    ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
  });
}

function nearestName(issue: z.core.$ZodIssue, schema: Node, value: unknown): string | undefined {
  if (issue.code === "unrecognized_keys") {
    return nearest(issue.keys[0] ?? "", fieldsAt(schema, issue.path));
  }
  if (issue.code !== "invalid_union") return undefined;
  // The message lists the values of the field by which the kinds of a rule differ.
  const quoted = [...issue.message.matchAll(/'([^']+)'/gu)].map(([, name = ""]) => name);
  const typed = issue.path.reduce((inner: unknown, key) => Object(inner)[key], value);
  return nearest(String(typed), quoted);
}

type Node = Pick<z.core.$ZodType, "_zod">;

/** The fields of the objects at a place of a schema. */
function fieldsAt({ _zod: { def } }: Node, [first, ...rest]: readonly PropertyKey[]): string[] {
  const { innerType, element, options, shape } = def as {
    readonly innerType?: Node;
    readonly element?: Node;
    readonly options?: readonly Node[];
    readonly shape?: Readonly<Record<string, Node>>;
  };
  const place = first === undefined ? [] : [first, ...rest];
  if (innerType) return fieldsAt(innerType, place);
  if (options) return [...new Set(options.flatMap((option) => fieldsAt(option, place)))];
  if (element) return fieldsAt(element, rest);
  if (shape === undefined) return [];
  if (first === undefined) return Object.keys(shape);
  const inner = shape[String(first)];
  return inner === undefined ? [] : fieldsAt(inner, rest);
}
