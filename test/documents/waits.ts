/** The JSON of installations wait and check. */

import * as z from "zod";
import { optional, text, texts, words } from "./parts.ts";

const conditions = (what: string) =>
  z
    .array(
      z.strictObject({
        condition: text("condition, as typed"),
        met: z.boolean().describe("whether it is met"),
        value: z.unknown().describe("current value; null if there is none"),
      }),
    )
    .describe(what);

export const wait = z.strictObject({
  outcome: words("how the wait ended", {
    met: "all conditions are met",
    failed: "a condition of --fail-on is met (exit code 8)",
    timeout: "the conditions were not met in time (exit code 124)",
  }),
  id: text("ID of the installation"),
  integrationId: text("ID of the integration"),
  group: optional(text("the customer's group by name or ref")),
  waitedSeconds: z.number().describe("duration in seconds"),
  polls: z.number().describe("number of times that the installation was read"),
  conditions: conditions("conditions of --for, with their last values"),
  failOn: conditions("conditions of --fail-on, with their last values"),
});

export const installationsCheck = z.strictObject({
  passed: z.boolean().describe("whether at most max installations were found"),
  project: text("project"),
  integration: optional(text("ID of the integration; absent for all of the project")),
  groupRef: optional(text("ref of the requested group")),
  filters: texts("conditions of --filter"),
  max: z.number().describe("maximum number of installations that may meet them"),
  searched: z.number().describe("number of installations that were checked"),
  found: z.number().describe("number of installations that are counted"),
  installations: z
    .array(
      z.strictObject({
        id: text("ID"),
        integrationId: text("ID of the integration"),
        group: optional(text("the customer's group by name or ref")),
        values: z
          .record(z.string(), z.unknown())
          .describe("values of the filtered fields, by name"),
      }),
    )
    .describe("installations that are counted"),
  warnings: texts("warnings about the filters"),
});
