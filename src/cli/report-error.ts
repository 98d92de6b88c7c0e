import type { OutputSettings } from "../context/context.ts";
import { AmpError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { errorJson, renderError } from "../ui/error.ts";
import { jsonText, sanitize } from "../ui/text.ts";

/**
 * Tells an error on stderr, in the format that the caller asked for.
 * @returns the exit code
 */
export async function reportError(io: Io, look: OutputSettings, error: unknown): Promise<number> {
  const code = error instanceof AmpError ? EXIT[error.exit].code : EXIT.unexpected.code;
  const text = wantsJson(look)
    ? `${jsonText(errorJson(error), 2)}\n`
    : renderError(error, { paint: look.paint("err"), width: io.err.columns, now: io.now() });
  const lines = [lineAfterCaret(io), text, stackOf(look, error)].join("");
  // Where stderr is full or gone there is still the exit code.
  await io.err.write(lines).catch(() => {});
  return code;
}

function stackOf(look: OutputSettings, error: unknown): string {
  if (error instanceof AmpError || !look.debug || !(error instanceof Error)) return "";
  return `${sanitize(redactSecrets(error.stack ?? error.message))}\n`;
}

/** A terminal echoes `^C` where the cursor stands: what is said next begins on a line of its own. */
function lineAfterCaret({ signal, err }: Io): string {
  return signal.aborted && signal.reason === "SIGINT" && err.isTty ? "\n" : "";
}

/** Whether errors are told as JSON. */
export function wantsJson(look: OutputSettings): boolean {
  try {
    return ["json", "ndjson"].includes(look.output() ?? "");
  } catch {
    // The output setting itself may be what is wrong.
    return look.json;
  }
}
