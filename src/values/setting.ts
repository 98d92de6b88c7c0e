/** The formats of `--output`. */
export const OUTPUT_FORMATS = [
  "table",
  "json",
  "ndjson",
  "yaml",
  "csv",
  "csv-raw",
  "tsv",
  "id",
  "env",
  "markdown",
  "count",
] as const;
/** One of {@link OUTPUT_FORMATS}. */
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/**
 * The values that hold where none is given, as they would be typed; help and the code that acts
 * have them from here.
 */
export const DEFAULTS = {
  timeout: "30s",
  retries: "2",
  maxWait: "60s",
  maxListBody: "256MB",
  maxBody: "4MB",
  commitHorizon: "60s",
  parallel: "4",
} as const;

/**
 * A setting: a value that an option, a variable, the project file or a profile may give. The table
 * feeds the parser, the resolution of values and the help topics `environment` and `options`.
 */
export interface Setting {
  /** The global option in commander's notation; absent if there is none. */
  readonly flags?: string;
  /** The environment variable; absent if there is none. */
  readonly env?: string;
  readonly summary: string;
  /**
   * The project file `.amp.yaml` may hold it (never a secret); `trusted`: only in a trusted file.
   */
  readonly inProjectFile?: true | "trusted";
  /**
   * Whether a profile may hold it as a default: one that is of use at its `service` alone, or a
   * `preference`.
   */
  readonly inProfile?: "service" | "preference";
  /** Whether help and completion leave the option out; `amp help network` has it. */
  readonly hidden?: true;
  /** The closed set of its values. */
  readonly choices?: readonly string[];
  /** Whether it may be given several times. */
  readonly repeats?: true;
  /** The completion of its value. */
  readonly complete?: "file" | "profile" | "own-field";
  /**
   * The part of a command that the option acts on: the target, as the table of targets has it,
   * requests to the service, a result to print, a result with a view, a list of a command that only reads (a filter would seem to choose what is written), or a
   * question to confirm. Absent: every command.
   */
  readonly actsOn?: "target" | "service" | "result" | "view" | "query" | "consent";
}

/** The meaning of `--filter`; the help of a list adds an example of its own names. */
export const FILTER_SUMMARY = "only items that meet this condition";

/** The settings of what is printed, and in which form: a part of the table of settings. */
export const OUTPUT_SETTINGS = {
  output: {
    flags: "-o, --output <format>",
    env: "AMP_OUTPUT",
    summary: `output format: ${OUTPUT_FORMATS.join(", ")}`,
    choices: OUTPUT_FORMATS,
    inProjectFile: true,
    inProfile: "preference",
    actsOn: "result",
  },
  json: { flags: "--json", summary: "print JSON; short for --output json", actsOn: "result" },
  jq: {
    flags: "--jq <program>",
    summary: "print the result of this jq program on the JSON; strings are printed without quotes",
    actsOn: "result",
  },
  filter: {
    flags: "--filter <condition>",
    summary: `${FILTER_SUMMARY}, for example status=working or createTime>3d`,
    complete: "own-field",
    repeats: true,
    actsOn: "query",
  },
  sortBy: {
    flags: "--sort-by <field>",
    summary: "sort by a field or column; --sort-by=-field reverses the order",
    complete: "own-field",
    repeats: true,
    actsOn: "query",
  },
  limit: {
    flags: "--limit <n>",
    summary: "print at most this many items, and request no further pages",
    actsOn: "query",
  },
  fields: {
    flags: "--fields <a,b.c>",
    summary: "print only these fields, in this order",
    complete: "own-field",
    repeats: true,
    actsOn: "view",
  },
} as const satisfies Record<string, Setting>;

/** Whether a variable turns its setting on; `CI=false` does not. */
export function isEnabled(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|false|no|off)$/iu.test(value.trim());
}
