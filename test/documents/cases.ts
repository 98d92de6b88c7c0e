import * as z from "zod";
import { RULE_NAMES } from "../../src/case/rule.ts";
import { optional, text, texts, words } from "./parts.ts";

const count = (description: string) => z.int().min(0).describe(description);
const rule = z.enum(RULE_NAMES).describe("name of the rule");

const tally = (of: string) =>
  z
    .strictObject({
      total: count("installations"),
      failing: count("those that fail"),
      alike: count("those that fail with the same status as this one, itself included"),
      fine: count("those that do not fail"),
    })
    .describe(`installations of the ${of}, in counts`);

const meaning = {
  installation: z.strictObject({
    id: text("ID"),
    group: optional(text("name or ref of the group")),
    provider: optional(text("provider")),
    integration: optional(text("name of the integration")),
  }),
  rule: z
    .enum([...RULE_NAMES, "unexplained"])
    .describe("rule of the verdict; unexplained where none holds"),
  headline: text("the verdict as a sentence"),
  says: text("the reason"),
  turn: words("who has to do something next", {
    customer: "the customer",
    builder: "whoever builds the integration",
    provider: "the provider",
    platform: "the support of the platform",
    nobody: "nobody: it is fine, or goes on by itself",
  }),
  advice: text("what they should do"),
  also: z
    .array(z.strictObject({ rule, says: text("the reason") }))
    .describe("other rules that hold"),
  cohort: z.strictObject({ integration: tally("integration"), provider: tally("provider") }),
  since: z
    .strictObject({
      firstFailure: optional(text("time of the first failure since the last success")),
      lastSuccess: optional(text("time of the last success")),
      lastFailed: optional(text("ID of the newest operation that failed")),
      failed: count("operations that failed since then"),
      read: count("operations that were read"),
      atLeast: z.boolean().describe("whether it may have failed before the first failure"),
      isRunning: z.literal(true).optional().describe("the newest operation is in progress"),
    })
    .optional()
    .describe("absent where the service does not show operations"),
  evidence: texts("log lines and changes that support the verdict"),
  told: z
    .array(
      z.strictObject({
        event: text("event type that the state implies"),
        destinations: texts("destinations that it reaches, by the routing of now"),
        why: optional(text("why it reaches none")),
      }),
    )
    .optional()
    .describe("absent where the routing cannot be listed"),
  delivers: z.array(
    z.strictObject({
      destination: text("destination that its reads name"),
      exists: z.boolean().nullable().describe("null where that is not known"),
    }),
  ),
  notTold: z.array(
    z.strictObject({ what: text("evidence that could not be read"), why: text("the reason") }),
  ),
};

const judged = {
  rules: z.array(
    z.strictObject({
      rule,
      holds: z.boolean().nullable().describe("null where it could not be judged"),
      says: optional(text("the reason, where it holds")),
      needs: optional(texts("what is missing, where it could not be judged")),
    }),
  ),
  facts: z.array(
    z.strictObject({
      fact: text("fact"),
      value: text("its value"),
      source: text("where it comes from, or why it is not known"),
    }),
  ),
};

const made = text("time when the case was made");

export const newCase = z.strictObject({
  ...meaning,
  ...judged,
  made,
  saved: optional(
    z
      .strictObject({
        file: text("file as it was named"),
        answers: count("recorded answers"),
        bytes: count("size of the file"),
        redacted: count("values that were taken out"),
      })
      .describe("absent where it was not saved"),
  ),
});

export const savedCase = z.strictObject({
  made,
  file: text("file as it was named"),
  by: text("version of amp that made it"),
  who: text("what the case was made for, as it was typed"),
  project: text("project"),
  // With an option for one part, the others are absent.
  ...z.strictObject({ ...meaning, ...judged }).partial().shape,
  redactions: optional(
    z.array(
      z.strictObject({
        where: text("request, and path in its answer"),
        kind: text("what was taken out"),
      }),
    ),
  ),
  requests: optional(
    z.array(
      z.strictObject({
        method: text("always GET"),
        path: text("path below the base URL"),
        query: z.record(z.string(), z.string()),
        status: z.int(),
        records: count("records that were kept"),
        of: optional(count("length of the list, where a part of it was kept")),
      }),
    ),
  ),
});
