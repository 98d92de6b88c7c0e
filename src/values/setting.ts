/** What is to know of a format besides how it is written. */
interface FormatFacts {
  /** What `amp help output` says of it. */
  readonly help: string;
  /** Whether it has the result itself, and not its view. */
  readonly isData?: true;
  /** How JSON is written, where it is JSON: a program reads errors on stderr as JSON then, too. */
  readonly json?: "document" | "lines";
  /** Where a person reads it: on a terminal alone, or always. */
  readonly isRead?: "on a terminal" | "always";
  /** Whether it has the rows of a page, where the page has some. */
  readonly isRows?: true;
  /** Whether rows can be written for as long as something happens. */
  readonly isLive?: true;
  /** Whether it needs a single result whole, and not an item after the other. */
  readonly isWhole?: true;
  /** What a command must have that is written so. */
  readonly needs?: "a list" | "a view";
}

const RESPONSE = "the response of the service; secrets are replaced by [redacted]";
const COLUMNS = "the columns of the table, or the fields of --fields; csv has a header";

/** The formats of `--output`. `WRITERS` in `ui/formats.ts` has how each is written. */
export const FORMATS = {
  table: { help: "a table with a header, even in a pipe", isRead: "on a terminal", isLive: true },
  json: { help: RESPONSE, isData: true, json: "document" },
  ndjson: { help: "one item per line, as JSON", isData: true, json: "lines" },
  yaml: { help: RESPONSE, isData: true },
  csv: { help: COLUMNS, isRows: true },
  "csv-raw": {
    help: "csv for programs: without ' before = + - @ and without escapes",
    isRows: true,
  },
  tsv: { help: COLUMNS, isRows: true, isLive: true },
  id: { help: "only the IDs, one per line" },
  env: {
    help: "RESULT_NAME=value lines, for a GitHub output or a GitLab dotenv file",
    isData: true,
    isWhole: true,
    needs: "a view",
  },
  markdown: {
    help: "tables and headings for a job summary or a ticket",
    isRead: "always",
    needs: "a view",
  },
  count: { help: "only the number of items of a list", needs: "a list" },
} as const satisfies Readonly<Record<string, FormatFacts>>;

/** A format of `--output`. */
export type OutputFormat = keyof typeof FORMATS;

/** The names of the formats. */
export const OUTPUT_FORMATS = Object.keys(FORMATS) as OutputFormat[];

/** What is to know of a format; where none is asked for, of a table. */
export function formatFacts(format: OutputFormat = "table"): FormatFacts {
  return FORMATS[format];
}

/** The format of a result where none may be asked for: rows for a program in a pipe. */
export function formatAt(format: OutputFormat | undefined, isTty: boolean): OutputFormat {
  return format ?? (isTty ? "table" : "tsv");
}

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
   * Whether a profile may hold it: as its login saves it, or as a default, one that is of use at its
   * `service` alone, or a `preference`.
   */
  readonly inProfile?: "login" | "service" | "preference";
  /** Whether help and completion leave the option out; `amp help network` has it. */
  readonly hidden?: true;
  /** The closed set of its values. */
  readonly choices?: readonly string[];
  /** Whether it may be given several times. */
  readonly repeats?: true;
  /** The completion of its value. */
  readonly complete?: "file" | "profile" | "own-field" | "project";
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
