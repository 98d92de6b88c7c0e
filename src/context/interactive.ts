import type { ResolvedSettings } from "../config/resolve-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { isEnabled } from "../settings.ts";
import { once } from "../values/basics.ts";
import type { Prompter, Reporter } from "./command-context.ts";
import type { GlobalOptions } from "./output-settings.ts";

/** Whether questions can be asked: on a terminal, without --no-input and CI. */
export function isInteractive(
  io: Io,
  { input }: GlobalOptions,
  settings: ResolvedSettings,
): boolean {
  if (input === false) return false;
  if (isEnabled(settings.get("input")?.value) || isEnabled(settings.get("ci")?.value)) return false;
  return io.stdin.isTTY === true && io.err.isTty;
}

/**
 * Loads the prompts with the first question.
 * @param interactive whether questions can be asked; if not, each is an error that names its option
 * @param build loads the prompts
 * @param report is called before each question
 */
export function lazyPrompter(
  interactive: () => boolean,
  build: () => Promise<Prompter>,
  report: Pick<Reporter, "asks">,
): Prompter {
  const prompter = once(build);
  const ready = (flag: string) => {
    if (!interactive()) {
      throw new UsageError(`missing ${flag.startsWith("<") ? "argument" : "option"} ${flag}`, {
        detail: "This is not an interactive terminal.",
        remedy: `Add ${flag}.`,
        done: "Nothing was sent.",
      });
    }
    report.asks();
    return prompter();
  };
  return {
    input: async (question) => (await ready(question.flag)).input(question),
    secret: async (question) => (await ready(question.flag)).secret(question),
    confirm: async (question) => (await ready(question.flag)).confirm(question),
    select: async (question) => (await ready(question.flag)).select(question),
    checkbox: async (question) => (await ready(question.flag)).checkbox(question),
  };
}
