import * as z from "zod/mini";
import { anything, openObject } from "./shape.ts";

/**
 * A field of an error, dropped where its value is not as specified: it must not hide the failure.
 */
function lenient<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined);
}

/** The fields of spec part 7. None is required: a bare status is a problem too. */
const fields = {
  /** The type; absent means about:blank. */
  type: lenient(z.string()),
  href: lenient(z.string()),
  title: lenient(z.string()),
  status: lenient(z.number()),
  detail: lenient(z.string()),
  instance: lenient(z.string()),
  subsystem: lenient(z.string()),
  time: lenient(z.string()),
  /** The request ID may contain any characters: quote it for a shell. */
  requestId: lenient(z.string()),
  /** The causes, in no order. */
  causes: lenient(z.array(z.catch(z.string(), ""))),
  remedy: lenient(z.string()),
  supportEmail: lenient(z.string()),
  supportPhone: lenient(z.string()),
  supportUrl: lenient(z.string()),
  retryable: lenient(z.boolean()),
  /** The time by the server's clock. */
  retryAfter: lenient(z.string()),
  context: lenient(anything),
};

/** A problem of one invalid input, with its place, name and value. */
export const inputValidationIssue = openObject({
  ...fields,
  /** The part of the request: body, header, path or query. */
  in: lenient(z.string()),
  name: lenient(z.string()),
  value: lenient(z.unknown()),
});

/** An API Problem; with `issues`, an Input Validation Problem. Any object passes. */
export const problem = openObject({
  ...fields,
  issues: lenient(z.array(z.catch(inputValidationIssue, {}))),
});

/** RFC 9457 with the fields of spec part 7. Every field may be missing. */
export type Problem = z.infer<typeof problem>;
