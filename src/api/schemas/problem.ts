import * as z from "zod/mini";
import { anything, open } from "./shape.ts";

/**
 * A field of an error, dropped where its value is not what the spec says: a failure must not hide
 * behind another one.
 */
function told<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined);
}

/** Spec part 7. Nothing is required: a bare status is a problem too. */
const fields = {
  /** Absent means about:blank. */
  type: told(z.string()),
  href: told(z.string()),
  title: told(z.string()),
  status: told(z.number()),
  detail: told(z.string()),
  instance: told(z.string()),
  subsystem: told(z.string()),
  time: told(z.string()),
  /** May hold any characters: quote it where it goes into a shell. */
  requestId: told(z.string()),
  /** In no order. */
  causes: told(z.array(z.catch(z.string(), ""))),
  remedy: told(z.string()),
  supportEmail: told(z.string()),
  supportPhone: told(z.string()),
  supportUrl: told(z.string()),
  retryable: told(z.boolean()),
  /** By the server's clock. */
  retryAfter: told(z.string()),
  context: told(anything),
};

/** One invalid input; a problem of its own with the input's place, name and value. */
export const inputValidationIssue = open({
  ...fields,
  /** body, header, path or query. */
  in: told(z.string()),
  name: told(z.string()),
  value: told(z.unknown()),
});

/** An API Problem; with `issues`, an Input Validation Problem. Any object passes. */
export const problem = open({
  ...fields,
  issues: told(z.array(z.catch(inputValidationIssue, {}))),
});

/** RFC 9457 with the fields of spec part 7. Every field may be missing. */
export type Problem = z.infer<typeof problem>;
