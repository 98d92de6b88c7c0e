/** The JSON of `installations`, `apps lint`, `providers compare`, `invites revoke` and `explain`. */

import * as z from "zod";
import { breach, checkedRules, type DocumentOf, maybe, string, strings, words } from "./parts.ts";

const count = z.number().describe("number of installations");
const group = maybe(string("the customer's group by name or ref"));
const provider = maybe(string("provider"));
const integrationName = maybe(string("name of the integration, if the service reports it"));

const valueCount = z.strictObject({
  value: z.string().nullable().describe("value as the service sent it; null: absent"),
  name: integrationName,
  count,
});

/** The number of installations that have a value in a field. */
export type ValueCount = DocumentOf<typeof valueCount>;

const values = (what: string) =>
  z.array(valueCount).describe(`by ${what}, the most frequent first`);

const failingLonger = maybe(
  z.literal(true).describe("present if it is possibly longer: no success was found before"),
);

const unhealthyInstallation = z.strictObject({
  id: string("ID"),
  integrationId: string("ID of the integration"),
  integrationName,
  group,
  provider,
  lastOperationStatus: maybe(string("status of its last operation")),
  connectionStatus: maybe(string("status of its connection")),
  failingSince: maybe(
    string("time of the first failed operation since one succeeded; absent if not known"),
  ),
  cause: maybe(
    string("error of the log of its newest failed operation, or of one with this result"),
  ),
  failingLonger,
});

const incident = z.strictObject({
  installations: count,
  provider,
  connectionStatus: maybe(string("status of their connections")),
  lastOperationStatus: maybe(string("status of their last operations")),
  since: maybe(string("time of the first failed operation of those that were looked up")),
  latest: maybe(string("time at which the last of them began to fail, if an hour or more later")),
  failingLonger,
  causes: z
    .array(z.strictObject({ text: string("error of the log, or result"), found: count }))
    .describe("causes of those that were looked up, the most frequent first"),
  lookedUp: z.number().describe("number of them whose operations were read"),
  filters: strings("conditions of --filter that list them"),
});

/** Installations that fail together. */
export type Incident = DocumentOf<typeof incident>;

/** An installation that is unhealthy. */
export type UnhealthyInstallation = DocumentOf<typeof unhealthyInstallation>;

const summary = z.strictObject({
  project: string("project"),
  integration: maybe(string("ID of the integration; absent for all of the project")),
  groupRef: maybe(string("ref of the requested group")),
  filters: strings("conditions of --filter"),
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
  operationsServed: maybe(
    z.boolean().describe("whether the service provides operations; absent if none were requested"),
  ),
  lookedUp: z.number().describe("number of unhealthy installations whose operations were read"),
  requests: z.number().describe("number of requests for causes and times"),
  incidents: z
    .array(incident)
    .describe(
      "unhealthy installations by provider, cause and the hour in which they began to fail",
    ),
  unhealthy: z
    .array(unhealthyInstallation)
    .describe("installations that are unhealthy: those failing longest first, then the others"),
});

/** The installations of a scope, counted. */
export type InstallationSummary = DocumentOf<typeof summary>;

const comparedSide = z.strictObject({ id: string("ID"), group });

/** One side of a comparison. */
export type ComparedSide = DocumentOf<typeof comparedSide>;

const fieldDifference = z.strictObject({
  area: words("part of the installation", {
    installation: "the installation itself",
    connection: "its connection",
    config: "its configuration, except the objects",
    read: "an object that is read",
    write: "an object that is written",
    subscribe: "an object that is subscribed to",
  }),
  object: maybe(string("name of the object")),
  field: string("dotted path within the area or object; empty for a whole object"),
  change: z.enum(["added", "removed", "changed"]).describe("what happened"),
  before: maybe(z.unknown().describe("value before; absent if there was none")),
  after: maybe(z.unknown().describe("value after; absent if there is none")),
});

/** A field that differs between two installations, or between two states of one. */
export type FieldDifference = DocumentOf<typeof fieldDifference>;

const changes = z.array(fieldDifference);

const installationChange = z.strictObject({
  time: string("time at which it was noticed, RFC 3339"),
  change: words("what happened", {
    added: "the installation is new in the list",
    removed: "it is no longer listed, or no longer matches the filter",
    changed: "some of its fields changed",
    unavailable: "the service does not respond",
    available: "it responds again",
  }),
  id: maybe(string("ID of the installation")),
  group,
  changes: maybe(changes.describe("fields that changed; empty for one added or removed")),
  installation: maybe(z.unknown().describe("the installation, as it was last listed")),
  reason: maybe(string("why the service does not respond")),
});

/** A change as a program reads it: of an installation, or of the service. */
export type InstallationChange = DocumentOf<typeof installationChange>;

const installationDiff = z.strictObject({
  since: maybe(string("saved list that the first side is from; absent for two installations")),
  before: maybe(
    comparedSide.describe("the first installation; absent if the saved list does not have it"),
  ),
  after: maybe(
    comparedSide.describe("the second installation; absent if the service no longer lists it"),
  ),
  changes: changes.describe("differences by field"),
  leftOut: maybe(string("what was not compared, as text")),
});

/** The differences between two installations, or between a saved one and its current state. */
export type InstallationDiff = DocumentOf<typeof installationDiff>;

const appFinding = z.strictObject({
  ...breach,
  app: string("ID of the provider app"),
  provider: string("its provider"),
  path: string("dotted path of the field of the app"),
});

/** A breach of a rule for apps. */
export type AppFinding = DocumentOf<typeof appFinding>;

const appsLint = z.strictObject({
  project: string("project"),
  apps: z.number().describe("number of apps that were checked"),
  errors: z.number().describe("findings that are errors"),
  warnings: z.number().describe("findings that are warnings"),
  findings: z.array(appFinding).describe("breaches of rules, in the order of the apps"),
  rules: checkedRules,
});

/** The result of a check of apps. */
export type AppsLint = DocumentOf<typeof appsLint>;

const comparedProvider = z.strictObject({
  name: string("name"),
  displayName: maybe(string("display name, if different")),
});

const providerDifference = z.strictObject({
  area: z.enum(["capability", "authentication", "input"]).describe("what it is about"),
  property: string("property"),
  first: maybe(string("value of the first provider; absent if not specified")),
  second: maybe(string("value of the second provider; absent if not specified")),
});

/** One property of two providers. */
export type ProviderDifference = DocumentOf<typeof providerDifference>;

const providerComparison = z.strictObject({
  first: comparedProvider,
  second: comparedProvider,
  differences: z.array(providerDifference).describe("what differs"),
  bothSupport: z.array(z.string()).describe("capabilities that both have"),
  neitherSupports: z.array(z.string()).describe("capabilities that neither has"),
  required: z
    .array(
      z.strictObject({
        capability: string("capability"),
        first: z.boolean().describe("whether the first provider has it"),
        second: z.boolean().describe("whether the second provider has it"),
      }),
    )
    .describe("capabilities of `--require`"),
});

/** What differs between two providers. */
export type ProviderComparison = DocumentOf<typeof providerComparison>;

const waitCondition = z.strictObject({
  condition: string("condition, as typed"),
  met: z.boolean().describe("whether it is met"),
  value: z.unknown().describe("current value; null if there is none"),
});

/** A condition of `--for` or `--fail-on`, and what was seen of it last. */
export type WaitCondition = DocumentOf<typeof waitCondition>;

const conditions = (what: string) => z.array(waitCondition).describe(what);

const waitOutcome = words("how the wait ended", {
  met: "all conditions are met",
  failed: "a condition of --fail-on is met (exit code 8)",
  timeout: "the conditions were not met in time (exit code 124)",
});

const waited = z.strictObject({
  outcome: waitOutcome,
  id: string("ID of the installation"),
  integrationId: string("ID of the integration"),
  group,
  waitedSeconds: z.number().describe("duration in seconds"),
  polls: z.number().describe("number of times that the installation was read"),
  conditions: conditions("conditions of --for, with their last values"),
  failOn: conditions("conditions of --fail-on, with their last values"),
});

/** The end of the wait for one installation. */
export type WaitedInstallation = DocumentOf<typeof waited>;

const wait = z.strictObject({
  outcome: waitOutcome,
  waitedSeconds: z.number().describe("duration in seconds"),
  installations: z.array(waited).describe("each installation, in the order of the names"),
});

/** The result of a wait. */
export type WaitResult = DocumentOf<typeof wait>;

const foundInstallation = z.strictObject({
  id: string("ID"),
  integrationId: string("ID of the integration"),
  group,
  values: z.record(z.string(), z.unknown()).describe("values of the filtered fields, by name"),
});

/** An installation that a check counts. */
export type FoundInstallation = DocumentOf<typeof foundInstallation>;

const installationsCheck = z.strictObject({
  passed: z.boolean().describe("whether at most max installations were found"),
  project: string("project"),
  integration: maybe(string("ID of the integration; absent for all of the project")),
  groupRef: maybe(string("ref of the requested group")),
  filters: strings("conditions of --filter"),
  max: z.number().describe("maximum number of installations that may meet them"),
  searched: z.number().describe("number of installations that were checked"),
  found: z.number().describe("number of installations that are counted"),
  installations: z.array(foundInstallation).describe("installations that are counted"),
  warnings: strings("warnings about the filters"),
});

/** The result of a check. */
export type InstallationsCheck = DocumentOf<typeof installationsCheck>;

const pausedObject = z.strictObject({
  object: string("name of the object"),
  outcome: z.enum(["paused", "already paused", "resumed", "not paused"]),
});

/** The outcome for one object. */
export type PausedObject = DocumentOf<typeof pausedObject>;

const pausing = z.strictObject({
  id: string("ID of the installation"),
  integrationId: string("ID of its integration"),
  group: maybe(string("name of the group, or its ref")),
  objects: z.array(pausedObject),
  note: maybe(string("the reason from --note")),
});

/** The result of pausing or resuming an installation. */
export type PausingResult = DocumentOf<typeof pausing>;

const revocation = z.strictObject({
  id: string("ID of the invite"),
  email: maybe(string("invited address; absent where the list of invites was not read")),
  outcome: z.enum(["revoked", "already_revoked", "failed", "not_tried"]),
  error: maybe(z.unknown().describe("why it failed")),
});

/** What became of an invite. */
export type Revocation = DocumentOf<typeof revocation>;

const fieldExplanation = z.strictObject({
  path: string(
    "the record and the path in it, for example `connection.status`; `*` means any name",
  ),
  type: string("the type in words"),
  required: maybe(z.boolean().describe("whether it is always present; absent for a record")),
  values: maybe(strings("the known values; the service may send others")),
  meaning: string("the meaning"),
  source: string(
    "`spec 2.3`: part 2.3 of the API specification; `platform`: live platform only; `amp`: found out by amp",
  ),
});

/** What amp knows of a field, or of a record. */
export type FieldExplanation = DocumentOf<typeof fieldExplanation>;

const explanation = z.strictObject({
  ...fieldExplanation.shape,
  commands: strings("the commands that print the record"),
  fields: maybe(
    z
      .array(fieldExplanation)
      .describe("the fields inside it; all with `--recursive`, else the direct ones"),
  ),
});

/** A record or field, with the commands that show it and the fields inside it. */
export type Explanation = DocumentOf<typeof explanation>;

/** These documents, by name. */
export const INSPECT_DOCUMENTS = {
  providerComparison,
  appsLint,
  summary,
  wait,
  installationsCheck,
  pausing,
  revocation,
  installationChange,
  installationDiff,
  explanation,
} as const;

/** Parts of several of them, by name. */
export const INSPECT_PARTS = {
  valueCount,
  fieldDifference,
  comparedSide,
  comparedProvider,
  waitCondition,
  fieldExplanation,
} as const;
