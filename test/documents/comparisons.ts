/** The JSON of commands that compare or count: apps lint, providers compare, installations summary and diff. */

import * as z from "zod";
import { breach, checkedRules, optional, text, words } from "./parts.ts";

const count = z.number().describe("number of installations");
const values = (what: string) =>
  z
    .array(
      z.strictObject({
        value: z.string().nullable().describe("value as the service sent it; null: absent"),
        name: optional(text("name of the integration, if the service reports it")),
        count,
      }),
    )
    .describe(`by ${what}, the most frequent first`);

const group = optional(text("the customer's group by name or ref"));
const provider = optional(text("provider"));
const integrationName = optional(text("name of the integration, if the service reports it"));

export const summary = z.strictObject({
  project: text("project"),
  integration: optional(text("ID of the integration; absent for all of the project")),
  groupRef: optional(text("ref of the requested group")),
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
  operationsServed: optional(
    z.boolean().describe("whether the service provides operations; absent if none were requested"),
  ),
  lookedUp: z.number().describe("number of unhealthy installations whose operations were read"),
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
        failingSince: optional(
          text("time of the first failed operation since one succeeded; absent if not known"),
        ),
        failingLonger: optional(
          z.literal(true).describe("present if it is possibly longer: no success was found before"),
        ),
      }),
    )
    .describe("installations that are unhealthy: those failing longest first, then the others"),
});

const side = (what: string) =>
  optional(
    z
      .strictObject({
        id: text("ID"),
        group,
      })
      .describe(what),
  );

const changes = z.array(
  z.strictObject({
    area: words("part of the installation", {
      installation: "the installation itself",
      connection: "its connection",
      config: "its configuration, except the objects",
      read: "an object that is read",
      write: "an object that is written",
      subscribe: "an object that is subscribed to",
    }),
    object: optional(text("name of the object")),
    field: text("dotted path within the area or object; empty for a whole object"),
    change: z.enum(["added", "removed", "changed"]).describe("what happened"),
    before: optional(z.unknown().describe("value before; absent if there was none")),
    after: optional(z.unknown().describe("value after; absent if there is none")),
  }),
);

export const installationChange = z.strictObject({
  time: text("time at which it was noticed, RFC 3339"),
  change: words("what happened", {
    added: "the installation is new in the list",
    removed: "it is no longer listed, or no longer meets the filter",
    changed: "some of its fields changed",
    unavailable: "the service does not respond",
    available: "it responds again",
  }),
  id: optional(text("ID of the installation")),
  group,
  changes: optional(changes.describe("fields that changed; empty for one added or removed")),
  installation: optional(z.unknown().describe("the installation, as it was last listed")),
  reason: optional(text("why the service does not respond")),
});

export const installationDiff = z.strictObject({
  since: optional(text("saved list that the first side is from; absent for two installations")),
  before: side("the first installation; absent if the saved list does not have it"),
  after: side("the second installation; absent if the service no longer lists it"),
  changes: changes.describe("differences by field"),
  leftOut: optional(text("what was not compared, as text")),
});

export const appsLint = z.strictObject({
  project: text("project"),
  apps: z.number().describe("number of apps that were checked"),
  errors: z.number().describe("findings that are errors"),
  warnings: z.number().describe("findings that are warnings"),
  findings: z
    .array(
      z.strictObject({
        ...breach,
        app: text("ID of the provider app"),
        provider: text("its provider"),
        path: text("dotted path of the field of the app"),
      }),
    )
    .describe("breaches of rules, in the order of the apps"),
  rules: checkedRules,
});

const comparedProvider = z.strictObject({
  name: text("name"),
  displayName: optional(text("display name, if different")),
});

export const providerComparison = z.strictObject({
  first: comparedProvider,
  second: comparedProvider,
  differences: z
    .array(
      z.strictObject({
        area: z.enum(["capability", "authentication", "input"]).describe("what it is about"),
        property: text("property"),
        first: optional(text("value of the first provider; absent if not specified")),
        second: optional(text("value of the second provider; absent if not specified")),
      }),
    )
    .describe("what differs"),
  bothSupport: z.array(z.string()).describe("capabilities that both have"),
  neitherSupports: z.array(z.string()).describe("capabilities that neither has"),
  required: z
    .array(
      z.strictObject({
        capability: text("capability"),
        first: z.boolean().describe("whether the first provider has it"),
        second: z.boolean().describe("whether the second provider has it"),
      }),
    )
    .describe("capabilities of `--require`"),
});
