import type { Context } from "../context.ts";
import type { Io } from "../io.ts";
import { withoutSecrets } from "../secret.ts";
import { renderPage } from "../ui/page.ts";
import { type Step, stepLine } from "../ui/progress.ts";
import { display, jsonText } from "../ui/text.ts";
import { wrap } from "../ui/width.ts";
import type { Page } from "./view.ts";

/** What amp says while it works: stderr, never data, and never a secret. */
export interface Talk {
  /** A line that `--quiet` drops. */
  notice(text: string): void;
  /** A line that is always said. */
  warn(text: string): void;
  /** A page for the person at the terminal, for example what a question is about. */
  show(page: Page): void;
  /** A step that has settled. */
  step(step: Step): void;
  /** A line for programs that read the log of a CI job; never dropped. */
  event(fields: Readonly<Record<string, unknown>>): void;
  /** Whether anything was said: a result that follows on the same screen keeps its distance. */
  readonly spoken: boolean;
}

/** The talk of one command. */
export function createTalk(io: Io, context: Context): Talk {
  const paint = context.paint("err");
  let spoken = false;
  io.signal.addEventListener("abort", () => {
    // A terminal has echoed `^C` where the cursor stands.
    if (spoken && io.err.isTty) say("");
  });
  const say = (line: string) => {
    spoken = true;
    // Not awaited: a stream keeps its order. Nobody can be told that there is nobody to tell.
    io.err.write(`${line}\n`).catch(() => {});
  };
  const shown = (text: string) => display(withoutSecrets(text));
  // Prose by words on a terminal; a log keeps one line of each, to be searched.
  const lines = (text: string) =>
    io.err.isTty ? wrap(shown(text), io.err.columns) : [shown(text)];
  const unlessQuiet = context.quiet ? () => {} : say;
  return {
    notice: (text) => unlessQuiet(paint("dim", shown(text))),
    warn: (text) => {
      for (const line of lines(text)) say(paint("attention", line));
    },
    show: (page) => {
      unlessQuiet("");
      for (const line of renderPage(withoutSecrets(page), {
        paint,
        width: io.err.columns,
        now: io.now(),
      })) {
        unlessQuiet(line);
      }
    },
    step: (step) => unlessQuiet(stepLine(withoutSecrets(step), paint)),
    event: (fields) => say(jsonText(withoutSecrets(fields))),
    get spoken() {
      return spoken;
    },
  };
}
