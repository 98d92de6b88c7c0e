import type { Io } from "../io.ts";
import {
  isEnabled,
  OUTPUT_FORMATS,
  type OutputFormat,
  type SETTINGS,
  type SettingName,
} from "../settings.ts";
import { type Paint, type PaintTone, unpainted, wantsColor } from "../ui/paint.ts";
import { once, tried } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { formatAt, formatFacts } from "../values/setting.ts";
import type { ListQuery } from "../view/selection.ts";
import { contextErrors } from "./errors.ts";

/** The type of an option's value by its notation: true for a flag, false after `--no-…`. */
type ValueOf<Flags> = Flags extends `${string}<${string}`
  ? string
  : Flags extends `--no-${string}`
    ? boolean
    : true;

type Settings = typeof SETTINGS;

/** The value of an option by its setting: a list of texts where it may be given several times. */
type OptionValue<Row> = Row extends { flags: string; repeats: true }
  ? readonly string[]
  : Row extends { flags: infer Flags }
    ? ValueOf<Flags>
    : never;

/** The global options as the parser returns them. */
export type GlobalOptions = {
  readonly [Name in SettingName as Settings[Name] extends { flags: string }
    ? Name
    : never]?: OptionValue<Settings[Name]>;
} & {
  /** The own option of the commands that have one. */
  readonly progress?: readonly string[];
};

/** The settings of output; known even where the other settings cannot be read. */
export type OutputSettings = Awaited<ReturnType<typeof createOutputSettings>>;

/** Creates the output settings from options and environment. */
export async function createOutputSettings(
  io: Io,
  options: GlobalOptions,
  saved: (name: "output" | "accessible") => Written | undefined = () => undefined,
) {
  const isAccessible = once(() =>
    isEnabled(io.env.ACCESSIBLE || tried(() => saved("accessible"))?.value),
  );
  const isJson = options.json === true || (options.jq !== undefined && options.output !== "ndjson");
  const isColored = (stream: "out" | "err") => wantsColor(io.env, io[stream].isTty, options.color);
  // Chalk is loaded only for colours: in a pipe its time is saved.
  const painted = isColored("out") || isColored("err") ? await loadPaint() : unpainted;
  const output = {
    /**
     * The format that `--output`, AMP_OUTPUT or the project file names; undefined where none does.
     * @throws {UsageError} for an unknown format
     */
    format(): OutputFormat | undefined {
      return isJson ? jsonFormat(options) : namedFormat(io, options, () => saved("output"));
    },
    /** Whether the result is a table or page on a terminal. */
    forReading: (): boolean => io.out.isTty && formatAt(output.format(), true) === "table",
    /**
     * The names of `--fields`.
     * @throws {UsageError} for an empty name
     */
    fields: () => splitNames(options.fields, "--fields")?.map(unquoted),
    /** The names of `--fields` without quotes: a quoted one is a field that amp does not know. */
    plainFields: () =>
      (splitNames(options.fields, "--fields") ?? []).filter((name) => unquoted(name) === name),
    /**
     * The requested part of a list; undefined: all of it.
     * @throws {UsageError} for an empty name and an invalid limit
     */
    query: () => listQuery(options),
    jq: options.jq,
    paint: (stream: "out" | "err"): Paint =>
      isColored(stream)
        ? (tone, text) => (FAINT.has(tone) && isAccessible() ? text : painted(tone, text))
        : unpainted,
    /** Whether a screen reader reads what a stream shows, by the setting `accessible`. */
    isSpoken: (stream: "out" | "err"): boolean => io[stream].isTty && isAccessible(),
    /** Whether a terminal can redraw what it shows; otherwise prompts and waits are lines. */
    redraws: (): boolean => io.env.TERM !== "dumb" && !isAccessible(),
    /**
     * What stderr has: text for a person; for a program one JSON document if the run fails, and
     * nothing else; or, with `--progress json`, a JSON line for each event, warning and error.
     */
    messages(): "text" | "json" | "json-lines" {
      if (options.progress?.at(-1) === "json") return "json-lines";
      // The output setting itself may be the invalid one.
      const format = tried(() => output.format());
      return isJson || formatFacts(format).json ? "json" : "text";
    },
    /**
     * Whether stderr may have marks for the runner of a CI job: a format that only a variable or a
     * file sets does not say that a program reads it.
     */
    marks(): boolean {
      const kind = output.messages();
      return kind === "text" || (kind === "json" && !isJson && options.output === undefined);
    },
    /**
     * Whether a person reads both streams as the log of a CI job, and no format is asked for: a
     * result is then one text on stdout, its answer first, and stderr has nothing of it.
     */
    isJobLog: (): boolean =>
      isEnabled(io.env.CI) &&
      !io.out.isTty &&
      !io.err.isTty &&
      options.fields === undefined &&
      output.messages() === "text" &&
      output.format() === undefined,
    debug: options.debug === true || isEnabled(io.env.AMP_DEBUG),
    quiet: options.quiet === true,
    /** Whether a CI system runs amp, and keeps what it writes. */
    ci: isEnabled(io.env.CI),
  };
  return output;
}

/** A value as it was typed or saved, with its place. */
interface Written {
  readonly value: string;
  readonly source: string;
}

/** The tones that can hardly be seen. */
const FAINT: ReadonlySet<PaintTone> = new Set(["dim", "label"]);

function namedFormat(
  { env }: Io,
  { output }: GlobalOptions,
  written: () => Written | undefined,
): OutputFormat | undefined {
  if (output !== undefined) return parseFormat(output, "--output");
  if (env.AMP_OUTPUT !== undefined) return parseFormat(env.AMP_OUTPUT, "AMP_OUTPUT");
  const setting = written();
  return setting && parseFormat(setting.value, setting.source);
}

function jsonFormat({ output, json }: GlobalOptions): OutputFormat {
  if (output === undefined || output === "json") return "json";
  throw inputErrors.options_conflict(
    json ? "--json" : "--jq",
    `--output ${JSON.stringify(output)}`,
  );
}

function unquoted(name: string): string {
  return /^"(.+)"$/u.exec(name)?.[1] ?? name;
}

function splitNames(typed: readonly string[] | undefined, option: string): string[] | undefined {
  if (typed === undefined) return undefined;
  const names = typed
    .join(",")
    .split(",")
    .map((name) => name.trim());
  if (!names.includes("") && !names.includes("-")) return names;
  throw contextErrors.names_empty(option);
}

function listQuery({ filter = [], sortBy, limit }: GlobalOptions): ListQuery | undefined {
  if (filter.length === 0 && sortBy === undefined && limit === undefined) return undefined;
  if (filter.some((one) => one.trim() === "")) throw inputErrors.value_empty("--filter");
  const most = Number(limit ?? Number.NaN);
  if (limit !== undefined && !(/^\d+$/u.test(limit.trim()) && most >= 1 && most <= MAX_LIMIT)) {
    throw inputErrors.number_invalid(limit, 1, MAX_LIMIT).at("--limit");
  }
  return {
    filters: filter,
    sortBy: splitNames(sortBy, "--sort-by") ?? [],
    limit: limit === undefined ? undefined : most,
  };
}

const MAX_LIMIT = 1_000_000_000;

function parseFormat(format: string, source: string): OutputFormat {
  const found = OUTPUT_FORMATS.find((one) => one === format);
  if (found !== undefined) return found;
  throw inputErrors.word_invalid(format, OUTPUT_FORMATS, "a valid format").at(source);
}

/** Creates the colours by meaning. Chalk itself checks neither NO_COLOR nor the right stream. */
async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import("chalk");
  // The sixteen colours that every terminal maps to its own theme, light or dark.
  const chalk = new Chalk({ level: 1 });
  const styles = {
    good: chalk.green,
    // Yellow, also a bold one, can hardly be read on a light background.
    attention: chalk.magenta,
    bad: chalk.red,
    dim: chalk.dim,
    strong: chalk.bold,
    title: chalk.bold,
    heading: chalk.bold,
    label: chalk.dim,
  } as const satisfies Record<PaintTone, (text: string) => string>;
  return (tone, text) => (text === "" ? text : styles[tone](text));
}
