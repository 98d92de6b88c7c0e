import * as z from "zod";
import { optional, text } from "./parts.ts";

const count = z.number().describe("number of installations");
const values = (what: string) =>
  z
    .array(
      z.strictObject({
        value: z.string().nullable().describe("value as the service sent it; null: absent"),
        name: optional(text("name of the integration, where the service says it")),
        count,
      }),
    )
    .describe(`by ${what}, the most frequent first`);

const group = optional(text("the customer's group by name or ref"));
const provider = optional(text("provider"));
const integrationName = optional(text("name of the integration, where the service says it"));

export const summary = z.strictObject({
  project: text("project"),
  integration: optional(text("ID of the integration; absent for all of the project")),
  groupRef: optional(text("ref of the group that was asked for")),
  installations: count,
  counts: z
    .strictObject({
      health: values("health"),
      lastOperation: values("status of the last operation"),
      connection: values("status of the connection"),
      provider: values("provider"),
      integration: values("ID of the integration"),
    })
    .describe("installations by field"),
  unhealthy: z
    .array(
      z.strictObject({
        id: text("ID"),
        integrationId: text("ID of the integration"),
        integrationName,
        group,
        provider,
        lastOperationStatus: optional(text("status of its last operation")),
        connectionStatus: optional(text("status of its connection")),
      }),
    )
    .describe("installations that are unhealthy"),
});
