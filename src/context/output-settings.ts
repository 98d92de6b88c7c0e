import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { OUTPUT_FORMATS, type OutputFormat, type SETTINGS, type SettingName } from "../settings.ts";
import { type Paint, type PaintTone, unpainted, wantsColor } from "../ui/paint.ts";

/** The type of an option's value by its notation: true for a flag, false after `--no-…`. */
type ValueOf<Flags> = Flags extends `${string}<${string}`
  ? string
  : Flags extends `--no-${string}`
    ? boolean
    : true;

type Settings = typeof SETTINGS;

/** The global options as the parser returns them. */
export type GlobalOptions = {
  readonly [Name in SettingName as Settings[Name] extends { flags: string }
    ? Name
    : never]?: Settings[Name] extends { flags: infer Flags } ? ValueOf<Flags> : never;
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
  written: () => { value: string; source: string } | undefined = () => undefined,
) {
  const flag = options.json ? "json" : undefined;
  const isColored = (stream: "out" | "err") => wantsColor(io.env, io[stream].isTty, options.color);
  // Chalk is loaded only for colours: in a pipe its time is saved.
  const painted = isColored("out") || isColored("err") ? await loadPaint() : unpainted;
  const output = {
    /**
     * The format that `--output`, AMP_OUTPUT or the project file names; undefined where none does.
     * @throws {UsageError} for an unknown format
     */
    format(): OutputFormat | undefined {
      if (options.output !== undefined && flag !== undefined && options.output !== flag) {
        throw new UsageError(`--json and --output ${JSON.stringify(options.output)} conflict`, {
          remedy: "Use one of them, not both.",
        });
      }
      if (flag !== undefined) return flag;
      if (options.output !== undefined) return parseFormat(options.output, "--output");
      if (io.env.AMP_OUTPUT !== undefined) return parseFormat(io.env.AMP_OUTPUT, "AMP_OUTPUT");
      const setting = written();
      return setting && parseFormat(setting.value, setting.source);
    },
    /** Whether the result is a table or page on a terminal. */
    forReading(): boolean {
      return io.out.isTty && (this.format() ?? "table") === "table";
    },
    /**
     * The names of `--fields`.
     * @throws {UsageError} for an empty name
     */
    fields: () => splitFields(options.fields),
    count: options.count === true,
    csvRaw: options.csvRaw === true,
    paint: (stream: "out" | "err"): Paint => (isColored(stream) ? painted : unpainted),
    /**
     * What stderr has: text for a person; for a program one JSON document if the run fails, and
     * nothing else; or, with `--progress json`, a JSON line for each event, warning and error.
     */
    messages(): "text" | "json" | "json-lines" {
      if (options.progress?.at(-1) === "json") return "json-lines";
      try {
        return ["json", "ndjson"].includes(output.format() ?? "") ? "json" : "text";
      } catch {
        // The output setting itself may be the invalid one.
        return options.json === true ? "json" : "text";
      }
    },
    debug: options.debug === true || isEnabled(io.env.AMP_DEBUG),
    quiet: options.quiet === true,
    /** Whether a CI system runs amp, and keeps what it writes. */
    ci: isEnabled(io.env.CI),
  };
  return output;
}

/** Whether a variable turns its setting on; `CI=false` does not. */
export function isEnabled(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|false|no|off)$/iu.test(value.trim());
}

function splitFields(fields: string | undefined): string[] | undefined {
  if (fields === undefined) return undefined;
  const names = fields.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw new UsageError("--fields contains an empty name", {
    remedy: "Separate names by commas, for example --fields id,group.groupName",
  });
}

function parseFormat(format: string, source: string): OutputFormat {
  const found = OUTPUT_FORMATS.find((one) => one === format);
  if (found !== undefined) return found;
  throw new UsageError(`${source}: ${JSON.stringify(format)} is not a valid format`, {
    remedy: `Choose one of: ${OUTPUT_FORMATS.join(", ")}.`,
  });
}

/** Creates the colours by meaning. Chalk itself checks neither NO_COLOR nor the right stream. */
async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import("chalk");
  // The sixteen colours that every terminal maps to its own theme, light or dark.
  const chalk = new Chalk({ level: 1 });
  const styles = {
    good: chalk.green,
    attention: chalk.yellow,
    bad: chalk.red,
    dim: chalk.dim,
    strong: chalk.bold,
    title: chalk.bold,
    heading: chalk.bold,
    label: chalk.dim,
  } as const satisfies Record<PaintTone, (text: string) => string>;
  return (tone, text) => (text === "" ? text : styles[tone](text));
}
