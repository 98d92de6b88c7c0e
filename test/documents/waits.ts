import * as z from "zod";
import { optional, text, words } from "./parts.ts";

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
