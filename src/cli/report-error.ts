import type { OutputSettings } from "../context/output-settings.ts";
import { AmpError, EXIT, isNotRecorded, isStop, NotFoundError } from "../errors.ts";
import type { Io } from "../io.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { SETTINGS } from "../settings.ts";
import { errorJson, renderError } from "../ui/error.ts";
import { jsonText, sanitize } from "../ui/text.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { atTarget } from "../values/suggested-command.ts";

/**
 * Writes an error to stderr, in the requested format.
 * @param target the target of the command, which suggested commands use, too
 * @returns the exit code
 */
export async function reportError(
  io: Io,
  settings: OutputSettings,
  thrown: unknown,
  target: CommandTarget = {},
): Promise<number> {
  const error =
    thrown instanceof AmpError ? thrown.setFacts(atTarget(thrown.facts, target)) : thrown;
  if (error instanceof AmpError) await nameChoices(error);
  if (error instanceof NotFoundError) nameCase(error, io.env[SETTINGS.case.env]);
  const code = error instanceof AmpError ? EXIT[error.exit].code : EXIT.unexpected.code;
  const messages = settings.messages();
  const shown = {
    paint: settings.paint("err"),
    width: io.err.columns,
    isPiped: !io.err.isTty,
    isSpoken: settings.isSpoken("err"),
    debug: settings.debug,
    now: io.now(),
  };
  const text =
    messages === "text"
      ? renderError(error, shown)
      : `${jsonText(errorJson(error), messages === "json" ? 2 : undefined)}\n`;
  // The exit code remains even if stderr is full or closed.
  const written = io.err.write(text + stackOf(settings, error)).catch(() => {});
  // The reader may be the one that the signal or the time limit has given up.
  if (!isStop(code)) await written;
  return code;
}

/** Names the values of which one must be chosen. Only an error needs what finds the nearest. */
async function nameChoices(error: AmpError): Promise<void> {
  const { choices } = error.facts;
  if (choices === undefined) return;
  const { nearest } = await import("../values/nearest.ts");
  const near = nearest(choices.typed, choices.known);
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  error.setFacts({ remedy: `${meant}Choose one of: ${choices.known.join(", ")}.` });
}

/** Says of what was not found that a case was searched; what is not recorded says so itself. */
function nameCase(error: NotFoundError, path: string | undefined): void {
  const { detail } = error.facts;
  if (!path || isNotRecorded(error)) return;
  const where = `Inside the case ${path}, amp finds only what was recorded.`;
  error.setFacts({ detail: detail === undefined ? where : `${detail} ${where}` });
}

function stackOf(settings: OutputSettings, error: unknown): string {
  if (error instanceof AmpError || !settings.debug || !(error instanceof Error)) return "";
  return `${sanitize(redactSecrets(error.stack ?? error.message))}\n`;
}
