import type { OutputSettings } from "../context/output-settings.ts";
import { AmpError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { errorJson, renderError } from "../ui/error.ts";
import { jsonText, sanitize } from "../ui/text.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { atTarget } from "../values/suggested-command.ts";

/**
 * Writes an error to stderr, in the format that the caller asked for.
 * @param target where the command acted: the commands that the error suggests act there, too
 * @returns the exit code
 */
export async function reportError(
  io: Io,
  settings: OutputSettings,
  thrown: unknown,
  target: CommandTarget = {},
): Promise<number> {
  const error =
    thrown instanceof AmpError ? thrown.addFacts(atTarget(thrown.facts, target)) : thrown;
  const code = error instanceof AmpError ? EXIT[error.exit].code : EXIT.unexpected.code;
  const text = wantsJson(settings)
    ? `${jsonText(errorJson(error), 2)}\n`
    : renderError(error, { paint: settings.paint("err"), width: io.err.columns, now: io.now() });
  // A terminal echoes `^C` where the cursor stands: what is said next begins on a line of its own.
  const isEchoed = io.signal.aborted && io.signal.reason === "SIGINT" && io.err.isTty;
  // Where stderr is full or gone there is still the exit code.
  await io.err.write((isEchoed ? "\n" : "") + text + stackOf(settings, error)).catch(() => {});
  return code;
}

function stackOf(settings: OutputSettings, error: unknown): string {
  if (error instanceof AmpError || !settings.debug || !(error instanceof Error)) return "";
  return `${sanitize(redactSecrets(error.stack ?? error.message))}\n`;
}

/** Whether errors are told as JSON. */
export function wantsJson(settings: OutputSettings): boolean {
  try {
    return ["json", "ndjson"].includes(settings.format() ?? "");
  } catch {
    // The output setting itself may be what is wrong.
    return settings.json;
  }
}
