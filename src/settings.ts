/** The formats of `--output`. */
export const OUTPUT_FORMATS = ["table", "json", "ndjson", "yaml", "csv", "tsv", "id"] as const;
/** One of {@link OUTPUT_FORMATS}. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What a credential is. */
export const CREDENTIAL_KINDS = ["api-key", "access-token"] as const;
/** One of {@link CREDENTIAL_KINDS}. */
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/**
 * The registry of settings: everything that an option, a variable, the project file or a profile
 * may say. It feeds the parser, the resolution of values, `amp help environment` and
 * `amp help options`.
 */
export interface Setting {
  /** In commander's notation; absent where no option exists everywhere. */
  readonly flags?: string;
  /** The environment variable; absent where there is none. */
  readonly env?: string;
  readonly summary: string;
  /** The project file `.amp.yaml` may hold it (never a secret). */
  readonly inProjectFile?: true;
  /** A profile may hold it as a default. */
  readonly inProfile?: true;
  /** The closed set of its values. */
  readonly choices?: readonly string[];
  /** What completion offers as its value. */
  readonly complete?: "file";
}

/** In the order in which help lists them. */
export const SETTINGS = {
  project: {
    flags: "-p, --project <name>",
    env: "AMP_PROJECT",
    summary: "project, by name or ID",
    inProjectFile: true,
    inProfile: true,
  },
  profile: {
    flags: "--profile <name>",
    env: "AMP_PROFILE",
    summary: "saved login to use (see amp auth list)",
    inProjectFile: true,
  },
  baseUrl: {
    flags: "--base-url <url>",
    env: "AMP_BASE_URL",
    summary: "address of the service, ending in /v1",
    inProjectFile: true,
    inProfile: true,
  },
  apiKeyFile: {
    flags: "--api-key-file <file>",
    summary: "read the API key from a file; - for standard input",
    complete: "file",
  },
  apiKey: { env: "AMP_API_KEY", summary: "API key; needs no login" },
  accessToken: { env: "AMP_ACCESS_TOKEN", summary: "access token (JWT); needs no login" },
  auth: {
    flags: "--auth <kind>",
    summary: "which credential to use where the environment has both kinds",
    choices: CREDENTIAL_KINDS,
  },
  org: {
    env: "AMP_ORG",
    summary: "organisation of the invite commands",
    inProjectFile: true,
    inProfile: true,
  },
  integration: {
    env: "AMP_INTEGRATION",
    summary: "integration ID of the installation commands",
    inProjectFile: true,
    inProfile: true,
  },
  state: {
    env: "AMP_STATE",
    summary: "where amp notify keeps what it created: a file, https://…, gitlab or s3://…",
    inProjectFile: true,
  },
  output: {
    flags: "-o, --output <format>",
    env: "AMP_OUTPUT",
    summary: `one of ${OUTPUT_FORMATS.join(", ")}`,
    choices: OUTPUT_FORMATS,
    inProjectFile: true,
  },
  json: { flags: "--json", summary: "the same as --output json" },
  count: { flags: "--count", summary: "only how many there are, of a list" },
  csvRaw: { flags: "--csv-raw", summary: "CSV for programs: no ' before = + - @, nothing escaped" },
  fields: { flags: "--fields <a,b.c>", summary: "only these fields, in this order" },
  input: {
    flags: "--no-input",
    env: "AMP_NO_INPUT",
    summary: "never ask; fail and name the option instead (also when CI is set)",
  },
  yes: { flags: "-y, --yes", summary: "answer yes to every confirmation" },
  timeout: {
    flags: "--timeout <time>",
    env: "AMP_TIMEOUT",
    summary: "longest wait for one answer, for example 30s or 2m (default 30s)",
    inProjectFile: true,
  },
  retries: {
    flags: "--retries <n>",
    env: "AMP_RETRIES",
    summary: "times a request may be sent again, 0 to 10 (default 2)",
    inProjectFile: true,
  },
  maxWait: {
    flags: "--max-wait <time>",
    env: "AMP_MAX_WAIT",
    summary: "longest wait that the service may ask for (default 60s)",
    inProjectFile: true,
  },
  maxBody: {
    flags: "--max-body <size>",
    env: "AMP_MAX_BODY",
    summary: "largest answer, such as 10MB (default 256MB for lists, else 4MB)",
    inProjectFile: true,
  },
  allowInsecureHttp: {
    flags: "--allow-insecure-http",
    summary: "accept a base URL without TLS on another machine",
  },
  insecureTls: {
    flags: "--insecure-tls",
    env: "AMP_INSECURE_TLS",
    summary: "accept any TLS certificate, for trials on your own machines",
  },
  quiet: { flags: "-q, --quiet", summary: "no notices and no progress, only errors" },
  debug: {
    flags: "-d, --debug",
    env: "AMP_DEBUG",
    summary: "tell each request and its timing; never a secret",
  },
  color: { flags: "--no-color", summary: "no colour (also NO_COLOR; FORCE_COLOR forces it)" },
  httpsProxy: { env: "HTTPS_PROXY", summary: "proxy for https: http://user:password@host:port" },
  httpProxy: { env: "HTTP_PROXY", summary: "proxy for http, which the sandbox speaks" },
  noProxy: {
    env: "NO_PROXY",
    summary: "hosts to reach without a proxy: api.example.com,localhost,10.0.0.0/8",
  },
  extraCaCerts: {
    env: "NODE_EXTRA_CA_CERTS",
    summary: "file of certificate authorities to trust as well (PEM)",
  },
  configDir: { env: "AMP_CONFIG_DIR", summary: "folder of profiles and credentials" },
  noColor: { env: "NO_COLOR", summary: "set to anything: no colour" },
  forceColor: { env: "FORCE_COLOR", summary: "colour even where there is no terminal" },
  ci: { env: "CI", summary: "set by CI systems: never ask" },
} as const satisfies Record<string, Setting>;

/** A key of {@link SETTINGS}. */
export type SettingName = keyof typeof SETTINGS;

/** What people call a kind of credential. */
export const CREDENTIAL_NAMES = {
  "api-key": "API key",
  "access-token": "access token",
} as const satisfies Record<CredentialKind, string>;

/** A camel-case name as options and files write it: `base-url`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}
