import type { Reporter } from "../context/command-context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import type { Io } from "../io.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { renderPage } from "../ui/page.ts";
import { progressLine } from "../ui/status-lines.ts";
import { jsonText, sanitize } from "../ui/text.ts";
import { wrap } from "../ui/width.ts";

/** Creates the reporter of one command. */
export function createReporter(io: Io, settings: OutputSettings): Reporter {
  const paint = settings.paint("err");
  let hasOutput = false;
  io.signal.addEventListener("abort", () => {
    // A terminal has echoed `^C` where the cursor stands.
    if (hasOutput && io.err.isTty) say("");
  });
  const say = (line: string) => {
    hasOutput = true;
    // Not awaited: a stream keeps its order. Nobody can be told that there is nobody to tell.
    io.err.write(`${line}\n`).catch(() => {});
  };
  const shown = (text: string) => sanitize(redactSecrets(text));
  // Prose by words on a terminal; a log keeps one line of each, to be searched.
  const lines = (text: string) =>
    io.err.isTty ? wrap(shown(text), io.err.columns) : [shown(text)];
  const unlessQuiet = settings.quiet ? () => {} : say;
  return {
    notice: (text) => unlessQuiet(paint("dim", shown(text))),
    warn: (text) => {
      for (const line of lines(text)) say(paint("attention", line));
    },
    page: (page) => {
      unlessQuiet("");
      for (const line of renderPage(redactSecrets(page), {
        paint,
        width: io.err.columns,
        now: io.now(),
      })) {
        unlessQuiet(line);
      }
    },
    progress: (entry) => unlessQuiet(progressLine(redactSecrets(entry), paint)),
    ciEvent: (fields) => say(jsonText(redactSecrets(fields))),
    get hasOutput() {
      return hasOutput;
    },
  };
}
