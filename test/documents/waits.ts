import * as z from "zod";
import { optional, text, texts, words } from "./parts.ts";

const conditions = (what: string) =>
  z
    .array(
      z.strictObject({
        condition: text("condition as it was typed"),
        holds: z.boolean().describe("whether it holds"),
        value: z.unknown().describe("value that it is about; null if there is none"),
      }),
    )
    .describe(what);

export const wait = z.strictObject({
  outcome: words("how the wait ended", {
    met: "all conditions hold",
    failed: "a condition of --fail-on holds (exit code 8)",
    timeout: "the conditions did not hold in time (exit code 124)",
  }),
  id: text("ID of the installation"),
  integrationId: text("ID of the integration"),
  group: optional(text("the customer's group by name or ref")),
  waitedSeconds: z.number().describe("seconds that it took"),
  looks: z.number().describe("number of times that the installation was looked at"),
  conditions: conditions("conditions of --for, as they were seen last"),
  failOn: conditions("conditions of --fail-on, as they were seen last"),
});

export const installationsCheck = z.strictObject({
  passed: z.boolean().describe("whether no more installations than max were found"),
  project: text("project"),
  integration: optional(text("ID of the integration; absent for all of the project")),
  groupRef: optional(text("ref of the group that was asked for")),
  filters: texts("conditions of --filter"),
  max: z.number().describe("number of installations that may meet them"),
  forSeconds: optional(z.number().describe("seconds for which they must have met them")),
  searched: z.number().describe("number of installations that were looked at"),
  found: z.number().describe("number of installations that count"),
  recent: optional(
    z.number().describe("number of those that do not meet the filters for long enough yet"),
  ),
  installations: z
    .array(
      z.strictObject({
        id: text("ID"),
        integrationId: text("ID of the integration"),
        group: optional(text("the customer's group by name or ref")),
        since: optional(text("time of the first observation in the ledger since which it is so")),
        values: z.record(z.string(), z.unknown()).describe("what the filters are about, by name"),
      }),
    )
    .describe("installations that count"),
  warnings: texts("what is odd about the filters"),
});
