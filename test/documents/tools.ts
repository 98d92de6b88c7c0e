/** The JSON of auth, trust, version, commands and explain, of errors and of what is not sent. */

import * as z from "zod";
import type { ExitName } from "../../src/errors.ts";
import { optional, text, texts, words } from "./parts.ts";
import { RECORDS } from "./records.ts";
import { failureFields } from "./routing.ts";

const profile = text("name of the profile");
const baseUrl = text("base URL of the service");
/** The codes of errors, in the order of their exit codes. */
const EXIT_NAMES = [
  "ok",
  "unexpected",
  "usage",
  "not-found",
  "auth",
  "conflict",
  "rejected",
  "service",
  "check",
  "partial",
  "timeout",
  "interrupted",
  "terminated",
] as const satisfies readonly ExitName[];

const credential = z.enum(["api-key", "access-token"]).describe("kind of the credential");
const project = text("default project");
const org = text("default organisation ID");
const integration = text("default integration ID");

const readBaseUrl = text("URL of operations, logs and backfills, where they have their own");

export const profileRow = z.strictObject({
  name: profile,
  active: z.boolean().describe("whether commands use it by default"),
  builtIn: optional(z.boolean().describe("whether it is the profile of the sandbox")),
  baseUrl: optional(baseUrl),
  readBaseUrl: optional(readBaseUrl),
  credential: optional(credential),
  project: optional(project),
  org: optional(org),
  integration: optional(integration),
  output: optional(text("default of --output")),
  timeout: optional(text("default of --timeout")),
  retries: optional(text("default of AMP_RETRIES")),
  maxWait: optional(text("default of AMP_MAX_WAIT")),
  maxBody: optional(text("default of AMP_MAX_BODY")),
  auth: optional(text("default of AMP_AUTH")),
  protected: optional(z.boolean().describe("whether a write needs the name of the profile")),
  readOnly: optional(z.boolean().describe("whether every write is refused")),
});

const projectRecords = z.array(RECORDS.project as unknown as z.ZodType);

export const loginStatus = z.strictObject({
  profile: optional(profile),
  profileSource: optional(text("setting that chose the profile")),
  baseUrl,
  readBaseUrl: optional(readBaseUrl),
  credential,
  credentialSource: text("where the credential comes from"),
  storedIn: optional(text("`keyring`, or the path of the file of credentials")),
  expires: optional(text("expiry of a token, RFC 3339")),
  checked: z.boolean().describe("whether the service accepted the credential"),
  projects: optional(projectRecords.describe("projects that the credential has access to")),
  project: optional(project),
  org: optional(org),
  integration: optional(integration),
  expectProject: optional(text("project that writes must go to")),
  protected: optional(z.boolean().describe("whether a write needs the name of the profile")),
  readOnly: optional(z.boolean().describe("whether every write is refused")),
  settings: z
    .array(
      z.strictObject({
        setting: text("name of the setting"),
        source: text("option, variable, file or profile that sets it"),
        shadows: optional(texts("other places that set another value, which is not used")),
      }),
    )
    .describe("where each of these values comes from"),
});

export const loggedIn = z.looseObject({
  profile,
  baseUrl,
  readBaseUrl: optional(readBaseUrl),
  credential,
  storedIn: text("`keyring` or `file`"),
  protected: optional(z.boolean().describe("whether a write needs the name of the profile")),
  readOnly: optional(z.boolean().describe("whether every write is refused")),
  checked: z.boolean().describe("whether the service accepted the credential"),
});

export const profileSetting = z.strictObject({
  setting: text("name of the setting"),
  value: optional(text("its value for this call; absent where there is none")),
  source: optional(text("option, variable, file or profile that sets it, or `default`")),
  shadows: optional(texts("other places that set another value, which is not used")),
});

export const guardedProfile = z.strictObject({
  profile,
  protected: z.boolean().describe("whether a write needs the name of the profile"),
  readOnly: z.boolean().describe("whether every write is refused"),
});

export const profileName = z.strictObject({ profile });
export const renamed = z.strictObject({ from: text("earlier name"), profile });
export const token = z.strictObject({
  profile: optional(profile),
  kind: credential,
  token: text("the credential itself"),
});

export const trustedFile = z.strictObject({
  path: text("path of the project file"),
  status: words("its trust", {
    trusted: "its settings are used",
    changed: "it was trusted with different content, and is no longer trusted",
    missing: "it no longer exists",
    revoked: "trust was revoked by this command",
  }),
  sets: texts("settings that require trust"),
  since: text("time at which it was trusted, RFC 3339"),
});

export const revocation = z.strictObject({
  id: text("ID of the invite"),
  email: optional(text("invited address; absent where the list of invites was not read")),
  outcome: z.enum(["revoked", "already_revoked", "failed", "not_tried"]),
  error: optional(z.unknown().describe("why it failed")),
});

export const pausing = z.strictObject({
  id: text("ID of the installation"),
  integrationId: text("ID of its integration"),
  group: optional(text("name of the group, or its ref")),
  objects: z.array(
    z.strictObject({
      object: text("name of the object"),
      outcome: z.enum(["paused", "already paused", "resumed", "already running"]),
    }),
  ),
  note: optional(text("the reason from --note")),
});

export const sandboxFacts = z.strictObject({
  url: baseUrl,
  port: z.int(),
  apiKey: text("well-known API key of the sandbox"),
  accessToken: text("well-known access token of the sandbox"),
  project,
  org,
  integration,
});

export const versionFacts = z.strictObject({
  version: text("version of amp"),
  runtime: z.strictObject({ name: text("`node` or `bun`"), version: text("its version") }),
  platform: text("operating system"),
  arch: text("processor"),
  build: text("`source`, or the kind of build"),
  commit: optional(text("commit of the build")),
});

export const commandEntry = z.looseObject({
  command: text("command or group, for example `amp notify apply`"),
  summary: text("what it does"),
  aliases: texts("other names"),
  args: z.array(z.looseObject({ name: z.string() })).describe("arguments"),
  options: z.array(z.looseObject({ name: z.string() })).describe("its own options"),
  globalOptions: texts("global options that act on it; the entry of amp describes them"),
  examples: z.array(z.looseObject({ run: z.string() })).describe("examples"),
  fields: optional(texts("fields of its JSON")),
  exitCodes: z
    .array(z.strictObject({ code: z.int(), meaning: z.string() }))
    .describe("exit codes beyond those of every command"),
});

export const unsentRequest = z.strictObject({
  method: text("HTTP method"),
  path: text("path below the base URL"),
  body: optional(z.unknown().describe("body; secrets are hidden")),
});

/** The document of stderr where a command fails. */
export const failure = z.strictObject({
  error: z.looseObject({
    code: z.enum(EXIT_NAMES).describe("name of the exit code; it does not change"),
    message: text("what failed"),
    exitCode: z.int().describe("exit code of the process"),
    detail: optional(text("explanation from the service")),
    remedy: optional(text("remedy")),
    suggestion: optional(text("next command; several are separated by line breaks")),
    done: optional(text("what was done and not done")),
    status: optional(z.int().describe("HTTP status of the response")),
    requestId: optional(text("request ID of the service")),
    clientRequestId: optional(text("request ID that amp sent")),
    retryable: optional(z.boolean()),
    retryAfter: optional(text("earliest time for a retry, RFC 3339")),
    issues: optional(z.array(z.looseObject({})).describe("invalid inputs, each with its `flag`")),
    candidates: optional(z.array(z.looseObject({})).describe("candidates for an ambiguous name")),
    warnings: optional(texts("warnings of the run")),
    holder: optional(
      z
        .looseObject({})
        .describe("the run that holds the lock; its `id` is for `amp notify state unlock`"),
    ),
    target: optional(z.looseObject({}).describe("service and project of this run")),
    state: optional(
      z.looseObject({}).describe("service and project of a state of another project"),
    ),
    ...failureFields,
  }),
});

const fieldExplanation = z.strictObject({
  path: text("the record and the path in it, for example `connection.status`; `*` means any name"),
  type: text("the type in words"),
  required: optional(z.boolean().describe("whether it is always present; absent for a record")),
  values: optional(texts("the known values; the service may send others")),
  meaning: text("the meaning"),
  source: text("`spec 2.3`: part 2.3 of the API specification; `platform`: live platform only"),
});

export const explanation = z.strictObject({
  ...fieldExplanation.shape,
  commands: texts("the commands that print the record"),
  fields: optional(
    z
      .array(fieldExplanation)
      .describe("the fields inside it; all with `--recursive`, else the direct ones"),
  ),
});
