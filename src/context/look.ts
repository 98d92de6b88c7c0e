import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { OUTPUTS, type OutputFormat } from "../settings.ts";
import type { Paint } from "../ui/paint.ts";
import { createPaint, wantsColor } from "./paint.ts";

/** The options that work everywhere, as the parser gives them. */
export interface GlobalOptions {
  readonly project?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly apiKeyFile?: string;
  readonly output?: string;
  readonly json?: true;
  readonly count?: true;
  readonly csvRaw?: true;
  readonly fields?: string;
  /** False after `--no-input`. */
  readonly input?: boolean;
  readonly yes?: true;
  readonly timeout?: string;
  readonly retries?: string;
  readonly maxWait?: string;
  readonly maxBody?: string;
  readonly allowInsecureHttp?: true;
  readonly insecureTls?: true;
  readonly quiet?: true;
  readonly debug?: true;
  /** False after `--no-color`. */
  readonly color?: boolean;
}

/** How amp shows what it has to say; known even where the settings cannot be read. */
export interface Look {
  /**
   * The format that was asked for; absent where none was.
   * @throws {UsageError} for one that is none
   */
  output(): OutputFormat | undefined;
  paint(stream: "out" | "err"): Paint;
  /** `--json` was typed: an error is told so even where the format is what is wrong. */
  readonly json: boolean;
  readonly debug: boolean;
  readonly quiet: boolean;
}

/** The look that options and environment ask for. */
export function createLook(
  io: Io,
  options: GlobalOptions,
  written: () => { value: string; source: string } | undefined = () => undefined,
): Look {
  const flag = options.json ? "json" : undefined;
  return {
    output() {
      if (options.output !== undefined && flag !== undefined && options.output !== flag) {
        throw new UsageError(
          `--json and --output ${JSON.stringify(options.output)} contradict each other`,
        );
      }
      if (flag !== undefined) return flag;
      if (options.output !== undefined) return known(options.output, "--output");
      if (io.env.AMP_OUTPUT !== undefined) return known(io.env.AMP_OUTPUT, "AMP_OUTPUT");
      const setting = written();
      return setting && known(setting.value, setting.source);
    },
    paint: (stream) => createPaint(wantsColor(io, io[stream], options.color)),
    json: options.json === true,
    debug: options.debug === true || isOn(io.env.AMP_DEBUG),
    quiet: options.quiet === true,
  };
}

/** Whether a variable that switches something on does so: `CI=false` says that it is no CI. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|false|no|off)$/iu.test(value.trim());
}

function known(format: string, source: string): OutputFormat {
  const found = OUTPUTS.find((one) => one === format);
  if (found !== undefined) return found;
  throw new UsageError(
    `${source}: ${JSON.stringify(format)} is no format; there are ${OUTPUTS.join(", ")}`,
  );
}
