import * as z from "zod";
import { anything, open, optional, time } from "./shape.ts";

/** Spec part 7. Nothing is required: a bare status is a problem too. */
const fields = {
  /** Default: about:blank. */
  type: optional(z.string()),
  href: optional(z.string()),
  title: optional(z.string()),
  status: optional(z.number()),
  detail: optional(z.string()),
  instance: optional(z.string()),
  subsystem: optional(z.string()),
  time: optional(time),
  /** May hold any characters: quote it where it goes into a shell. */
  requestId: optional(z.string()),
  /** In no order. */
  causes: optional(z.array(z.string())),
  remedy: optional(z.string()),
  supportEmail: optional(z.string()),
  supportPhone: optional(z.string()),
  supportUrl: optional(z.string()),
  retryable: optional(z.boolean()),
  retryAfter: optional(time),
  context: optional(anything),
};

/** One invalid input; a problem of its own with the input's place, name and value. */
export const inputValidationIssue = open({
  ...fields,
  /** body, header, path or query. */
  in: optional(z.string()),
  name: optional(z.string()),
  value: optional(z.unknown()),
});

/** An API Problem; with `issues`, an Input Validation Problem. */
export const problem = open({ ...fields, issues: optional(z.array(inputValidationIssue)) });

/** RFC 9457 with the fields of spec part 7. Every field may be missing. */
export type Problem = z.infer<typeof problem>;
/** One invalid input. Every field may be missing. */
export type InputValidationIssue = z.infer<typeof inputValidationIssue>;
