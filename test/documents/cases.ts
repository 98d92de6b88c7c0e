/** The JSON of `amp case`. */

import * as z from "zod";
import type { RuleName } from "../../src/case/case-file.ts";
import { optional, text, texts, words } from "./parts.ts";

const count = (description: string) => z.int().min(0).describe(description);
const RULE_NAMES = [
  "provider-wide",
  "integration-wide",
  "credentials-refused",
  "permission-or-field",
  "recovering",
  "retrying",
  "stuck",
  "rate-limited",
  "destination-missing",
  "config-just-changed",
  "provider-unavailable",
  "paused",
  "schedule-never",
  "not-running",
  "reads-nothing",
  "never-used",
  "only-them",
  "nobody-notified",
  "others-failing",
  "healthy",
] as const satisfies readonly RuleName[];

const rule = z.enum(RULE_NAMES).describe("name of the rule");

const tally = (of: string) =>
  z
    .strictObject({
      total: count("installations"),
      failing: count(
        "installations that are reported as failing: unhealthy, or with refused credentials",
      ),
      alike: count(
        "those of them that fail similarly to this one, including it: their credentials are refused too; or not, and their last operation succeeded as well, or did not either; 0 if this one is not reported as failing",
      ),
      lastOperationFailed: count(
        "others that are reported healthy, but their last operation failed",
      ),
      fine: count("others that are reported healthy, and their last operation did not fail"),
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
    .describe("rule of the verdict; unexplained if no rule applies"),
  headline: text("the verdict as a sentence"),
  says: text("the reason"),
  turn: words("who must act next", {
    customer: "the customer",
    builder: "the builder of the integration",
    provider: "the provider",
    platform: "the support of the platform",
    nobody: "nobody: it is fine, or recovers without action",
  }),
  advice: text("what they should do"),
  also: z
    .array(z.strictObject({ rule, says: text("the reason") }))
    .describe("other rules that apply"),
  cohort: z.strictObject({ integration: tally("integration"), provider: tally("provider") }),
  since: z
    .strictObject({
      firstFailure: optional(text("time of the first failure since the last success")),
      lastSuccess: optional(text("time of the last success")),
      lastFailed: optional(
        text("ID of the newest operation that failed since then, or in recovered"),
      ),
      failed: count("operations that have failed since then"),
      read: count("operations that were read"),
      atLeast: z.boolean().describe("whether it may have failed before the first failure"),
      isRunning: z.literal(true).optional().describe("the newest operation is in progress"),
      recovered: optional(
        z
          .strictObject({
            failed: count("failed operations"),
            firstFailure: optional(text("time of the first of them")),
            lastFailure: optional(text("time of the last of them")),
            firstSuccess: optional(text("time of the first success after the last of them")),
            atLeast: z.boolean().describe("whether it may have failed before the first failure"),
          })
          .describe("failures that ended in the day before the newest operation"),
      ),
    })
    .optional()
    .describe("absent if the service does not provide operations"),
  evidence: texts("log lines, results of operations and changes that support the verdict"),
  notifications: z
    .array(
      z.strictObject({
        event: text("event type of a notification about this state"),
        destinations: texts("destinations that receive it with the current routing"),
        why: optional(text("why no destination receives it")),
      }),
    )
    .optional()
    .describe(
      "notifications about the state of the installation, and who receives them; absent if the routing cannot be listed",
    ),
  delivers: z.array(
    z.strictObject({
      destination: text("destination of its reads"),
      exists: z.boolean().nullable().describe("null if unknown"),
    }),
  ),
  missingEvidence: z
    .array(
      z.strictObject({
        what: text("request or record"),
        reason: words("why, as a code", {
          "not-supported": "the service does not have it",
          "not-found": "the service did not find it",
          refused: "this credential has no access to it",
          failed: "the request failed",
        }),
        why: text("why, as a sentence"),
      }),
    )
    .describe("evidence that could not be read"),
};

const judged = {
  rules: z.array(
    z.strictObject({
      rule,
      holds: z.boolean().nullable().describe("null if it could not be checked"),
      says: optional(text("the reason, if it applies")),
      needs: optional(texts("the missing data, if it could not be checked")),
    }),
  ),
  facts: z.array(
    z.strictObject({
      fact: text("fact"),
      value: text("its value"),
      source: text("its source, or why it is unknown"),
    }),
  ),
};

const made = text("time when the case was created");

export const newCase = z.strictObject({
  ...meaning,
  ...judged,
  made,
  saved: optional(
    z
      .strictObject({
        file: text("path of the file, as typed"),
        answers: count("recorded responses"),
        bytes: count("size of the file"),
        redacted: count("values that were redacted"),
      })
      .describe("absent if it was not saved"),
  ),
});

export const savedCase = z.strictObject({
  made,
  file: text("path of the file, as typed"),
  by: text("version of amp that created it"),
  who: text("the customer of the case, or the ID of the installation"),
  project: text("project"),
  // With an option for one part, the others are absent.
  ...z.strictObject({ ...meaning, ...judged }).partial().shape,
  redactions: optional(
    z.array(
      z.strictObject({
        where: text("request, and path in its response"),
        kind: text("what was redacted"),
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
        records: count("number of records that were kept"),
        of: optional(count("length of the full list, if only a part was kept")),
      }),
    ),
  ),
});
