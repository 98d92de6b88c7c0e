import type { Look } from "../context.ts";
import { AmpError, EXIT } from "../errors.ts";
import type { Io } from "../io.ts";
import { errorJson, renderError } from "../ui/error.ts";
import { display, jsonText } from "../ui/text.ts";

/**
 * Tells an error on stderr, in the format that the caller asked for.
 * @returns the exit code
 */
export async function fail(io: Io, look: Look, error: unknown): Promise<number> {
  const code = error instanceof AmpError ? EXIT[error.exit].code : EXIT.unexpected.code;
  const text = wantsJson(look)
    ? `${jsonText(errorJson(error), 2)}\n`
    : renderError(error, { paint: look.paint("err"), width: io.err.columns, now: io.now() });
  await io.err.write(text);
  if (!(error instanceof AmpError) && look.debug && error instanceof Error) {
    await io.err.write(`${display(error.stack ?? error.message)}\n`);
  }
  return code;
}

/** Whether errors are told as JSON. */
export function wantsJson(look: Look): boolean {
  try {
    return ["json", "ndjson"].includes(look.output() ?? "");
  } catch {
    // The output setting itself may be what is wrong.
    return false;
  }
}
