/** The JSON of auth, trust, version, commands and explain, of errors and of what is not sent. */

import * as z from "zod";
import { project as projectRecord } from "../api/schemas/project.ts";
import type { ExitName } from "../errors.ts";
import { commandLine, type DocumentOf, maybe, string, strings, words } from "./parts.ts";
import { failureFields } from "./routing.ts";

const profile = string("name of the profile");
const baseUrl = string("base URL of the service");
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
const project = string("default project");
const org = string("default organisation ID");
const integration = string("default integration ID");

const readBaseUrl = string("URL of operations, logs and backfills, where they have their own");

const profileRow = z.strictObject({
  name: profile,
  active: z.boolean().describe("whether commands use it by default"),
  builtIn: maybe(z.boolean().describe("whether it is the profile of the sandbox")),
  baseUrl: maybe(baseUrl),
  readBaseUrl: maybe(readBaseUrl),
  credential: maybe(credential),
  project: maybe(project),
  org: maybe(org),
  integration: maybe(integration),
  output: maybe(string("default of --output")),
  timeout: maybe(string("default of --timeout")),
  retries: maybe(string("default of AMP_RETRIES")),
  maxWait: maybe(string("default of AMP_MAX_WAIT")),
  maxBody: maybe(string("default of AMP_MAX_BODY")),
  auth: maybe(string("default of AMP_AUTH")),
  accessible: maybe(string("default of ACCESSIBLE")),
  protected: maybe(z.boolean().describe("whether a write needs the name of the profile")),
  readOnly: maybe(z.boolean().describe("whether every write is refused")),
});

const projectRecords = z.array(projectRecord);

const profileSetting = z.strictObject({
  setting: string("name of the setting"),
  value: maybe(string("its value for this call; absent where there is none")),
  source: maybe(string("option, variable, file or profile that sets it, or `default`")),
  shadows: maybe(strings("other places that set another value, which is not used")),
});

/** A setting with its value and where that is from. */
export type ExplainedSetting = DocumentOf<typeof profileSetting>;

const statusCheck = z.strictObject({
  check: words("what was checked", {
    credential: "the credential",
    service: "a request with it",
    settings: "the settings",
    proxy: "the proxy",
    certificates: "additional certificate authorities",
    clock: "the clock beside the service's",
    keyring: "the keyring of the system",
    state: "the configured state",
    path: "other programs called amp",
    completion: "completion in the shell",
    version: "this program",
  }),
  outcome: words("outcome", {
    ok: "nothing to do",
    warning: "commands work, but something may surprise",
    problem: "commands fail with the exit code of `code`",
  }),
  text: string("what was found"),
  code: maybe(z.enum(EXIT_NAMES).describe("name of the exit code of a problem")),
  remedy: maybe(string("what to do")),
  next: maybe(commandLine("next command")),
});

/** Something that was checked, and what was found. */
export type StatusCheck = DocumentOf<typeof statusCheck>;

const loginStatus = z.strictObject({
  ready: z.boolean().describe("whether no problem was found"),
  profile: maybe(profile),
  baseUrl: maybe(baseUrl),
  readBaseUrl: maybe(readBaseUrl),
  credential: maybe(credential),
  credentialSource: maybe(string("where the credential comes from")),
  storedIn: maybe(string("`keyring`, or the path of the file of credentials")),
  expires: maybe(string("expiry of a token, RFC 3339")),
  checked: z.boolean().describe("whether the service accepted the credential"),
  projects: maybe(projectRecords.describe("projects that the credential has access to")),
  project: maybe(project),
  expectProject: maybe(string("the only project that writes may go to")),
  protected: maybe(z.boolean().describe("whether a write needs the name of the profile")),
  readOnly: maybe(z.boolean().describe("whether every write is refused")),
  checks: z.array(statusCheck).describe("what was checked, problems first"),
  notes: strings("what overrides what in this call"),
  settings: z
    .array(profileSetting)
    .describe("each setting that is set, with its value; credentials are hidden"),
});

/** The login that a call uses, and whether this machine can work with it. */
export type LoginStatus = DocumentOf<typeof loginStatus>;

const loggedIn = z.strictObject({
  profile,
  baseUrl,
  readBaseUrl: maybe(readBaseUrl),
  credential,
  project: maybe(project),
  org: maybe(org),
  integration: maybe(integration),
  storedIn: z.enum(["file", "keyring"]).describe("where the credential is saved"),
  protected: maybe(z.boolean().describe("whether a write needs the name of the profile")),
  readOnly: maybe(z.boolean().describe("whether every write is refused")),
  checked: z.boolean().describe("whether the service accepted the credential"),
});

/** The result of a login. */
export type LoggedIn = DocumentOf<typeof loggedIn>;

const guardedProfile = z.strictObject({
  profile,
  protected: z.boolean().describe("whether a write needs the name of the profile"),
  readOnly: z.boolean().describe("whether every write is refused"),
});

/** The guards of a profile. */
export type GuardedProfile = DocumentOf<typeof guardedProfile>;

const profileName = z.strictObject({ profile });
const renamed = z.strictObject({ from: string("earlier name"), profile });
const token = z.strictObject({
  profile: maybe(profile),
  kind: credential,
  token: string("the credential itself"),
});

const trustedFile = z.strictObject({
  path: string("path of the project file"),
  status: words("whether the file is trusted", {
    trusted: "its settings are used",
    changed: "its content has changed since it was trusted; its settings are not used",
    missing: "it no longer exists",
    revoked: "trust was revoked by this command",
  }),
  sets: strings("settings that require trust"),
  since: string("time at which it was trusted, RFC 3339"),
});

/** A trusted project file. */
export type TrustedFile = DocumentOf<typeof trustedFile>;

const sandboxFacts = z.strictObject({
  url: baseUrl,
  port: z.int(),
  apiKey: string("well-known API key of the sandbox"),
  accessToken: string("well-known access token of the sandbox"),
  project,
  org,
  integration,
  token: string("token of this run, which acts by HTTP need"),
  page: string("URL of its page, with the token after `#`"),
});

const versionFacts = z.strictObject({
  version: string("version of amp"),
  runtime: z.strictObject({ name: string("`node` or `bun`"), version: string("its version") }),
  platform: string("operating system"),
  arch: string("processor"),
  build: string("`source`, or the kind of build"),
  commit: maybe(string("commit of the build")),
  newest: maybe(string("newest version at the npm registry, with `--check`")),
  upgrade: maybe(string("how to upgrade this amp, if it is not the newest")),
});

/** What this amp is. */
export type VersionFacts = DocumentOf<typeof versionFacts>;

const commandEntry = z.looseObject({
  command: string("command or group, for example `amp notify apply`"),
  summary: string("what it does"),
  section: maybe(string("section of the help that lists it")),
  description: maybe(string("paragraphs of its help")),
  effect: maybe(z.literal("write").describe("it changes something at the service")),
  aliases: strings("other names"),
  args: z.array(z.looseObject({ name: z.string() })).describe("arguments"),
  options: z.array(z.looseObject({ name: z.string() })).describe("its own options"),
  globalOptions: strings("global options that act on it; the entry of amp describes them"),
  examples: z.array(z.looseObject({ run: z.string() })).describe("examples"),
  fields: maybe(strings("fields of its JSON")),
  exitCodes: z
    .array(z.strictObject({ code: z.int(), meaning: z.string() }))
    .describe("exit codes beyond those of every command"),
});

const unsentRequest = z.strictObject({
  method: string("HTTP method"),
  path: string("path below the base URL"),
  body: maybe(z.unknown().describe("body; secrets are hidden")),
});

/** The document of stderr where a command fails. */
const failure = z.strictObject({
  error: z.looseObject({
    code: z.enum(EXIT_NAMES).describe("name of the exit code; it does not change"),
    name: string("name of the error, as in [errors.md](errors.md); it does not change"),
    message: string("what failed"),
    exitCode: z.int().describe("exit code of the process"),
    detail: maybe(string("explanation from the service")),
    remedy: maybe(string("remedy")),
    suggestion: maybe(string("next command; several are separated by line breaks")),
    done: maybe(string("what was done and not done")),
    status: maybe(z.int().describe("HTTP status of the response")),
    requestId: maybe(string("request ID of the service")),
    clientRequestId: maybe(string("request ID that amp sent")),
    retryable: maybe(z.boolean()),
    retryAfter: maybe(string("earliest time for a retry, RFC 3339")),
    issues: maybe(z.array(z.looseObject({})).describe("invalid inputs, each with its `flag`")),
    candidates: maybe(z.array(z.looseObject({})).describe("candidates for an ambiguous name")),
    warnings: maybe(strings("warnings of the run")),
    holder: maybe(
      z
        .looseObject({})
        .describe("the run that holds the lock; its `id` is for `amp notify state unlock`"),
    ),
    target: maybe(z.looseObject({}).describe("service and project of this run")),
    state: maybe(z.looseObject({}).describe("service and project of a state of another project")),
    ...failureFields,
  }),
});

/** These documents, by name. */
export const ACCOUNT_DOCUMENTS = {
  profile: profileRow,
  loginStatus,
  loggedIn,
  profileSetting,
  guardedProfile,
  profileName,
  renamed,
  token,
  trustedFile,
  sandbox: sandboxFacts,
  version: versionFacts,
  command: commandEntry,
  unsentRequest,
  error: failure,
} as const;
