import * as z from "zod";
import { RULE_NAMES } from "./rule.ts";

/** The forms of the parts of a case file. Its texts are not trusted, and only shown. */

const text = z.string().max(20_000);
const short = z.string().min(1).max(1_000);
const count = z.int().min(0);
const rule = z.enum([...RULE_NAMES, "unexplained"]);

const tally = z.object({
  total: count,
  failing: count,
  alike: count,
  fine: count,
  // A case of an earlier amp counted them as fine.
  lastOperationFailed: count.default(0),
});

const summary = z.object({
  installation: z.object({
    id: short,
    group: short.exactOptional(),
    provider: short.exactOptional(),
    integration: short.exactOptional(),
  }),
  rule,
  headline: text,
  says: text,
  turn: z.enum(["customer", "builder", "provider", "platform", "nobody"]),
  advice: text,
  also: z.array(z.object({ rule: z.enum(RULE_NAMES), says: text })).max(100),
  rules: z
    .array(
      z.object({
        rule: z.enum(RULE_NAMES),
        holds: z.boolean().nullable(),
        says: text.exactOptional(),
        needs: z.array(text).exactOptional(),
      }),
    )
    .max(100),
  facts: z.array(z.object({ fact: text, value: text, source: text })).max(1_000),
  notifications: z
    .array(z.object({ event: short, destinations: z.array(short), why: text.exactOptional() }))
    .max(100)
    .exactOptional(),
  cohort: z.object({ integration: tally, provider: tally }),
  since: z
    .object({
      firstFailure: short.exactOptional(),
      lastSuccess: short.exactOptional(),
      lastFailed: short.exactOptional(),
      failed: count,
      read: count,
      atLeast: z.boolean(),
      isRunning: z.literal(true).exactOptional(),
      recovered: z
        .object({
          failed: count,
          atLeast: z.boolean(),
          firstFailure: short.exactOptional(),
          lastFailure: short.exactOptional(),
          firstSuccess: short.exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
  evidence: z.array(text).max(100),
  delivers: z.array(z.object({ destination: short, exists: z.boolean().nullable() })).max(10_000),
  anonymised: z.literal(true).exactOptional(),
  missingEvidence: z.array(z.object({ what: text, why: text })).max(1_000),
});

const answer = z.object({
  method: z.literal("GET"),
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/u)
    .max(4_000),
  query: z.record(z.string(), z.string()),
  status: z.int().min(200).max(599),
  headers: z.object({
    "content-type": z.enum(["application/json", "application/problem+json"]),
    "retry-after": z
      .string()
      .regex(/^[\w :,+-]{1,60}$/u)
      .exactOptional(),
  }),
  body: z.unknown(),
  of: count.exactOptional(),
});

/** The form of a case file of this version. */
export const caseSchema = z.object({
  format: z.literal("amp-case/1"),
  made: z.iso.datetime(),
  /** The version of amp that made it. */
  by: short,
  /** The fingerprint of the service and the project: the same for two cases of one project. */
  target: short,
  // It becomes a variable of the environment.
  project: short.regex(/^\P{Cc}+$/u),
  who: z.string().max(20_000),
  /** The time of the oldest operation that was asked for, where one was given. */
  since: z.iso.datetime().exactOptional(),
  answers: z.array(answer).max(10_000),
  verdict: summary,
  redactions: z.array(z.object({ where: text, kind: short })).max(20_000),
});

/** A case: what a service answered, what it means, and what was taken out. */
export type CaseFile = z.output<typeof caseSchema>;
