/** The JSON of notify test. */

import * as z from "zod";
import { optional, text, texts, words } from "./parts.ts";

export const routingTest = z.strictObject({
  file: text("routing file"),
  passed: z.int().describe("cases that passed"),
  failed: z.int().describe("cases that failed"),
  cases: z.array(
    z.strictObject({
      name: text("name of the case; without one its event and fields"),
      file: text("case file"),
      line: z.int().describe("line of the case, from 1"),
      when: text("event type that was triggered"),
      outcome: words("the outcome", {
        pass: "all expectations are met",
        fail: "an expectation is not met",
      }),
      ms: z.int().describe("how long it took, in milliseconds"),
      expectations: z.array(
        z.strictObject({
          text: text("the expectation as a sentence"),
          met: z.boolean().describe("whether it is met"),
          message: optional(text("why it is not met")),
          line: z.int().describe("line of the expectation, from 1"),
        }),
      ),
    }),
  ),
  assumedWebhooks: texts("names of destinations whose type the file does not specify"),
});
