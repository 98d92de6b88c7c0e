/** The JSON of `amp case`. */

import * as z from "zod";
import { type DocumentOf, maybe, string, strings, words } from "./parts.ts";

const count = (description: string) => z.int().min(0).describe(description);

/** The names of the rules, the highest first. */
export const RULE_NAMES = [
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
  "healthy",
] as const;

/** The name of a rule. */
export type RuleName = (typeof RULE_NAMES)[number];

const rule = z.enum(RULE_NAMES).describe("name of the rule");

const caseTally = z.strictObject({
  total: count("installations"),
  failing: count(
    "installations that are reported as failing: unhealthy, or with refused credentials",
  ),
  alike: count(
    "those of them in the alikeState of this one, including it; 0 if this one is not reported as failing",
  ),
  lastOperationFailed: count("others that are reported healthy, but their last operation failed"),
  fine: count("others that are reported healthy, and their last operation did not fail"),
});

const alikeState = words("state of those that are counted as alike, as the list has it", {
  credentials: "their credentials are refused",
  failing: "unhealthy, with neither refused credentials nor a successful last operation",
  succeeding: "unhealthy, with no refused credentials, although the last operation succeeded",
});

/** What installations have in common that fail alike, by their records. */
export type AlikeState = z.infer<typeof alikeState>;

const tally = (of: string) => caseTally.describe(`installations of the ${of}, in counts`);

const meaning = {
  installation: z.strictObject({
    id: string("ID"),
    group: maybe(string("name or ref of the group")),
    provider: maybe(string("provider")),
    integration: maybe(string("name of the integration")),
  }),
  rule: z
    .enum([...RULE_NAMES, "unexplained"])
    .describe("rule of the verdict; unexplained if no rule applies"),
  headline: string("the verdict as a sentence"),
  says: string("the reason"),
  turn: words("who must act next", {
    customer: "the customer",
    builder: "the builder of the integration",
    provider: "the provider",
    platform: "the support of the platform",
    nobody: "nobody: it is fine, or recovers without action",
    unknown: "not known: the evidence that decides it could not be read",
  }),
  advice: string("what they should do"),
  also: z
    .array(z.strictObject({ rule, says: string("the reason") }))
    .describe("other rules that apply"),
  cohort: z.strictObject({
    integration: tally("integration"),
    provider: tally("provider"),
    alikeState: maybe(alikeState),
  }),
  since: z
    .strictObject({
      firstFailure: maybe(string("time of the first failure since the last success")),
      lastSuccess: maybe(string("time of the last success")),
      lastFailed: maybe(
        string("ID of the newest operation that failed since then, or in recovered"),
      ),
      failed: count("operations that have failed since then"),
      read: count("operations that were read"),
      atLeast: z.boolean().describe("whether it may have failed before the first failure"),
      isRunning: z.literal(true).exactOptional().describe("the newest operation is in progress"),
      recovered: maybe(
        z
          .strictObject({
            failed: count("failed operations"),
            firstFailure: maybe(string("time of the first of them")),
            lastFailure: maybe(string("time of the last of them")),
            firstSuccess: maybe(string("time of the first success after the last of them")),
            atLeast: z.boolean().describe("whether it may have failed before the first failure"),
          })
          .describe("failures that ended in the day before the newest operation"),
      ),
    })
    .exactOptional()
    .describe("absent if the service does not provide operations"),
  objects: z
    .array(
      z.strictObject({
        object: string("name of the object"),
        state: z
          .enum(["fails", "works", "paused", "unknown"])
          .describe("unknown if no operation of it was read"),
      }),
    )
    .describe("objects that the installation reads"),
  evidence: strings("log lines, results of operations and changes that support the verdict"),
  notifications: z
    .array(
      z.strictObject({
        event: string("event type of a notification about this state"),
        destinations: strings("destinations that receive it with the current routing"),
        why: maybe(string("why no destination receives it")),
      }),
    )
    .exactOptional()
    .describe(
      "notifications about the state of the installation, and who receives them; absent if the routing cannot be listed",
    ),
  delivers: z.array(
    z.strictObject({
      destination: string("destination of its reads"),
      exists: z.boolean().nullable().describe("null if unknown"),
    }),
  ),
  missingEvidence: z
    .array(
      z.strictObject({
        what: string("request or record"),
        reason: words("why, as a code", {
          "not-supported": "the service does not have it",
          "not-found": "the service did not find it",
          refused: "this credential has no access to it",
          failed: "the request failed",
        }),
        why: string("why, as a sentence"),
      }),
    )
    .describe("evidence that could not be read"),
};

const judged = {
  rules: z.array(
    z.strictObject({
      rule,
      holds: z.boolean().nullable().describe("null if it could not be checked"),
      says: maybe(string("the reason, if it applies")),
      needs: maybe(strings("the missing data, if it could not be checked")),
    }),
  ),
  facts: z.array(
    z.strictObject({
      fact: string("fact"),
      value: string("its value"),
      source: string("its source, or why it is unknown"),
    }),
  ),
};

/** The verdict of a case with its evidence. It has nothing that must not be shown. */
export const caseSummary = z.strictObject({ ...meaning, ...judged });

/** The summary of a case. */
export type CaseSummary = DocumentOf<typeof caseSummary>;

/** What a case means, without the rules and facts that say why. */
export type Meaning = Omit<CaseSummary, "rules" | "facts">;

/** Who has to do something next. */
export type Turn = CaseSummary["turn"];

const savedEvidence = z.strictObject({
  file: string("path of the file, as typed"),
  answers: count("recorded responses"),
  bytes: count("size of the file"),
  redacted: count("values that were redacted"),
});

/** The file in which a case was saved. */
export type SavedEvidence = DocumentOf<typeof savedEvidence>;

const made = string("time when the case was created");

const newCase = z.strictObject({
  ...caseSummary.shape,
  made,
  saved: maybe(savedEvidence.describe("absent if it was not saved")),
});

/** What `amp case create` prints. */
export type NewCase = DocumentOf<typeof newCase>;

const listedRequest = z.strictObject({
  method: string("always GET"),
  path: string("path below the base URL"),
  query: z.record(z.string(), z.string()),
  status: z.int(),
  records: count("number of records that were kept"),
  of: maybe(count("length of the full list, if only a part was kept")),
});

/** A request of a case, with the number of records that were kept; 1 for what is not a list. */
export type ListedRequest = DocumentOf<typeof listedRequest>;

const kinds = z.array(z.strictObject({ kind: string("kind of data"), count: count("how many") }));

const contents = z.strictObject({
  customer: z.strictObject({
    installations: count("installations of the customer's group"),
    connections: count("connections of the customer's group"),
    operations: count("operations"),
    logLines: count("lines of logs"),
  }),
  others: z.strictObject({
    installations: count("installations of others, which were only counted"),
    connections: count("connections of others, which were only counted"),
  }),
  personal: kinds.describe("personal data that may be in what was kept"),
  redacted: kinds.describe("values that were redacted"),
  unchecked: z.strictObject({
    cutTexts: count("texts whose end was cut off"),
    freeTexts: count("kept texts that may say anything"),
    unknownFields: strings("fields that amp does not know"),
  }),
});

/** What of whom is in a case, and what could not be looked into. */
export type CaseContents = DocumentOf<typeof contents>;

const freeText = z.strictObject({
  where: string("request, and path in its response"),
  text: string("the text"),
});

/** A text that was kept, with its place. */
export type FreeText = DocumentOf<typeof freeText>;

const savedCase = z.strictObject({
  made,
  file: string("path of the file, as typed"),
  by: string("version of amp that created it"),
  who: string("the customer of the case, or the ID of the installation"),
  project: string("project"),
  // With an option for one part, the others are absent.
  ...caseSummary.partial().shape,
  redactions: maybe(
    z.array(
      z.strictObject({
        where: string("request, and path in its response"),
        kind: string("what was redacted"),
      }),
    ),
  ),
  requests: maybe(z.array(listedRequest)),
  contents: maybe(contents.describe("what of whom is in the file")),
  freeTexts: maybe(z.array(freeText).describe("with --review: the kept texts")),
});

/** A saved case as data; with a part chosen, that part alone. */
export type SavedCase = DocumentOf<typeof savedCase>;

/** These documents, by name. */
export const CASE_DOCUMENTS = {
  case: newCase,
  savedCase,
} as const;

/** Parts of several of them, by name. */
export const CASE_PARTS = { caseTally } as const;
