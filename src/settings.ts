import { DEFAULTS, OUTPUT_SETTINGS, type Setting } from "./values/setting.ts";

export * from "./values/setting.ts";

/** The kinds of credentials. */
export const CREDENTIAL_KINDS = ["api-key", "access-token"] as const;
/** One of {@link CREDENTIAL_KINDS}. */
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The table of settings, in the order in which help lists them. */
export const SETTINGS = {
  project: {
    flags: "-p, --project <name>",
    env: "AMP_PROJECT",
    summary: "project, by name or ID",
    complete: "project",
    inProjectFile: true,
    inProfile: "service",
    actsOn: "target",
  },
  profile: {
    flags: "--profile <name>",
    env: "AMP_PROFILE",
    summary: "profile to use; amp auth list shows them",
    complete: "profile",
    inProjectFile: "trusted",
    actsOn: "target",
  },
  baseUrl: {
    flags: "--base-url <url>",
    env: "AMP_BASE_URL",
    summary: "URL of the service, ending in /v1",
    inProjectFile: "trusted",
    inProfile: "login",
    actsOn: "target",
  },
  readBaseUrl: {
    env: "AMP_READ_BASE_URL",
    summary: "URL of operations, logs and backfills, if they are on a separate host",
    inProfile: "login",
  },
  apiKeyFile: {
    flags: "--api-key-file <file>",
    summary: "read the API key from this file; - for standard input",
    complete: "file",
    actsOn: "service",
  },
  accessTokenFile: {
    flags: "--access-token-file <file>",
    summary: "read the access token (JWT) from this file; - for standard input",
    complete: "file",
    actsOn: "service",
  },
  apiKey: { env: "AMP_API_KEY", summary: "API key to use without a login" },
  accessToken: { env: "AMP_ACCESS_TOKEN", summary: "access token (JWT) to use without a login" },
  auth: {
    env: "AMP_AUTH",
    summary: `credential to use if the environment has both kinds: ${CREDENTIAL_KINDS.join(" or ")}`,
    choices: CREDENTIAL_KINDS,
    inProfile: "preference",
  },
  org: {
    env: "AMP_ORG",
    summary: "organisation ID for the invite commands",
    inProjectFile: true,
    inProfile: "service",
  },
  integration: {
    env: "AMP_INTEGRATION",
    summary: "integration ID for the installation commands",
    inProjectFile: true,
    inProfile: "service",
  },
  state: {
    env: "AMP_STATE",
    summary: "where amp notify saves its state: a file, https://…, gitlab or s3://…",
    inProjectFile: "trusted",
  },
  commitHorizon: {
    env: "AMP_COMMIT_HORIZON",
    summary: `how long a create of unknown outcome may take to appear in the lists of the service (default ${DEFAULTS.commitHorizon})`,
    inProjectFile: "trusted",
  },
  parallel: {
    env: "AMP_PARALLEL",
    summary: `maximum parallel creates, 1 to 64 (default ${DEFAULTS.parallel}; 1 if the service has no lists)`,
    inProjectFile: "trusted",
  },
  lockWait: {
    env: "AMP_LOCK_WAIT",
    summary: "how long to wait for the lock of the state, such as 5m (default: do not wait)",
    inProjectFile: "trusted",
  },
  allowEnv: {
    env: "AMP_ALLOW_ENV",
    summary: "variables that routing files may read, with * as wildcard; all others are refused",
  },
  ...OUTPUT_SETTINGS,
  input: {
    flags: "--no-input",
    env: "AMP_NO_INPUT",
    summary: "never prompt; a missing value is an error (also when CI is set)",
  },
  confirm: {
    flags: "--confirm <profile>",
    env: "AMP_CONFIRM",
    summary: "confirm a write with a protected profile, by its name",
    complete: "profile",
    actsOn: "target",
  },
  expectProject: {
    flags: "--expect-project <name>",
    env: "AMP_EXPECT_PROJECT",
    summary: "refuse writes to any other project, by name or ID, with exit code 5",
    actsOn: "target",
  },
  yes: { flags: "-y, --yes", summary: "answer yes to all confirmations", actsOn: "consent" },
  timeout: {
    flags: "--timeout <time>",
    env: "AMP_TIMEOUT",
    summary: `maximum wait for one response, for example 30s or 2m (default ${DEFAULTS.timeout})`,
    inProjectFile: true,
    inProfile: "preference",
    actsOn: "service",
  },
  deadline: {
    flags: "--deadline <time>",
    env: "AMP_DEADLINE",
    summary: "maximum time for the whole command, for example 5m (default: none)",
    inProjectFile: true,
    actsOn: "service",
  },
  retries: {
    env: "AMP_RETRIES",
    summary: `maximum retries of a request, 0 to 10 (default ${DEFAULTS.retries})`,
    inProfile: "preference",
  },
  maxWait: {
    env: "AMP_MAX_WAIT",
    summary: `maximum wait that the service may request (default ${DEFAULTS.maxWait})`,
    inProfile: "preference",
  },
  maxBody: {
    env: "AMP_MAX_BODY",
    summary: `maximum response size, such as 10MB (default ${DEFAULTS.maxListBody} for lists, ${DEFAULTS.maxBody} otherwise)`,
    inProfile: "preference",
  },
  allowInsecureHttp: {
    flags: "--allow-insecure-http",
    summary: "allow a base URL without TLS on another machine",
    actsOn: "service",
    hidden: true,
  },
  insecureTls: {
    flags: "--insecure-tls",
    env: "AMP_INSECURE_TLS",
    summary: "skip TLS certificate checks; for tests on your own machines",
    actsOn: "service",
    hidden: true,
  },
  quiet: {
    flags: "-q, --quiet",
    summary: "hide notices and progress; show only warnings and errors",
  },
  debug: {
    flags: "-d, --debug",
    env: "AMP_DEBUG",
    summary: "log each request and its timing; secrets are hidden",
  },
  accessible: {
    env: "ACCESSIBLE",
    summary: "1 for screen readers: typed answers, lists as records, nothing redrawn",
    choices: ["true", "false"],
    inProjectFile: true,
    inProfile: "preference",
  },
  color: { flags: "--no-color", summary: "disable colour (also NO_COLOR; FORCE_COLOR enables it)" },
  httpsProxy: {
    env: "HTTPS_PROXY",
    summary: "proxy for https requests: http://user:password@host:port",
  },
  httpProxy: { env: "HTTP_PROXY", summary: "proxy for http requests, for example to the sandbox" },
  noProxy: {
    env: "NO_PROXY",
    summary: "hosts to reach without a proxy: api.example.com,localhost,10.0.0.0/8",
  },
  extraCaCerts: {
    env: "NODE_EXTRA_CA_CERTS",
    summary: "file of additional trusted certificate authorities (PEM)",
  },
  traceparent: {
    env: "TRACEPARENT",
    summary: "W3C trace context; sent to the service as the header traceparent",
  },
  tracestate: { env: "TRACESTATE", summary: "sent with traceparent, as the header tracestate" },
  case: { env: "AMP_CASE", summary: "set by amp case open: the case that commands read" },
  caseTime: {
    env: "AMP_CASE_TIME",
    summary: "set by amp case open: when the case was recorded; times count from then",
  },
  sandboxToken: {
    env: "AMP_SANDBOX_TOKEN",
    summary: "token of the control of a sandbox, instead of a random one for each run",
  },
  shell: { env: "SHELL", summary: "shell that amp case open starts" },
  path: { env: "PATH", summary: "amp case open puts amp before it, for the commands that it runs" },
  configDir: { env: "AMP_CONFIG_DIR", summary: "folder of profiles and credentials" },
  // Not the variable of `color`, whose value it would be: "1" would mean colour.
  noColor: { env: "NO_COLOR", summary: "any value disables colour" },
  timeZone: {
    env: "TZ",
    summary: "local time zone, used to show the next runs of schedules and the day of --since",
  },
  forceColor: {
    env: "FORCE_COLOR",
    summary: "enable colour, even without a terminal; rows, CSV and JSON for programs stay plain",
  },
  ci: { env: "CI", summary: "set by CI systems; disables prompts" },
} as const satisfies Record<string, Setting>;

/** A key of {@link SETTINGS}. */
export type SettingName = keyof typeof SETTINGS;

/** The row of a setting, with all optional fields. */
export function settingOf(name: SettingName): Setting {
  return SETTINGS[name];
}

/** The long form of a setting's option, for example `--project`. */
export function optionOf(name: SettingName): string | undefined {
  return settingOf(name).flags?.match(/--[a-z-]+/u)?.[0];
}

/** A setting that a profile may have a default of. */
export type ProfileSetting = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends {
    readonly inProfile: "service" | "preference";
  }
    ? Name
    : never;
}[SettingName];

/** The settings that `amp auth default` saves in a profile; a login saves its URLs. */
export const PROFILE_SETTINGS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name): name is ProfileSetting =>
    ["service", "preference"].includes(settingOf(name).inProfile ?? ""),
);

/** The names of the kinds of credentials in messages. */
export const CREDENTIAL_NAMES = {
  "api-key": "API key",
  "access-token": "access token",
} as const satisfies Record<CredentialKind, string>;

/** The header of an answer that a case gives itself, and that no service gave when it was made. */
export const CASE_HEADER = "amp-case";

/**
 * The headers by which the answers of an opened case say where they are from, and what they lack.
 */
export const CASE_NOTE_HEADERS = ["amp-case-origin", "amp-case-part"] as const;

/** A camel-case name as options and files write it: `base-url`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}
