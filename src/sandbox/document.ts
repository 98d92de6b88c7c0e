import type * as z from "zod/mini";
import { type ErrorFacts, UsageError } from "../errors.ts";
import { schemaIssueText } from "../values/schema-issue.ts";

/**
 * Parses the text of a file for the sandbox.
 * @param file the name in messages, for example `The fault script`
 * @throws {UsageError} unless it is JSON
 */
export function parseDocument(file: string, text: string, facts?: ErrorFacts): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error as SyntaxError).message;
    throw new UsageError(`${file} is not valid JSON: ${reason}`, facts, { cause: error });
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
  throw new UsageError(`${file} is not valid: ${problem.filter(Boolean).join(": ")}`, facts);
}
