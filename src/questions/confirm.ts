import type { CommandContext } from "../context/command-context.ts";
import { stops } from "../errors.ts";
import { inputErrors } from "../values/errors.ts";

/** A question whose answer decides whether anything is done. */
interface Confirmation {
  readonly message: string;
  /** The error where the terminal is not interactive: "The delete needs confirmation". */
  readonly needed: string;
  readonly remedy?: string;
  /** What was not done: "Nothing was sent." */
  readonly done: string;
  /** Shows what the question is about. */
  readonly show?: () => void;
}

/**
 * Asks whether to go on, unless `--yes` was given.
 * @throws {UsageError} where the terminal is not interactive
 * @throws {InterruptedError} where the answer is no
 */
export async function confirm(
  { yes, interactive, prompt }: Pick<CommandContext, "yes" | "interactive" | "prompt">,
  { message, needed, remedy = "Add --yes.", done, show }: Confirmation,
): Promise<void> {
  if (yes) return;
  if (!interactive) throw inputErrors.confirmation_needed(needed, remedy, done);
  show?.();
  if (await prompt.confirm({ message, flag: "--yes", default: false })) return;
  throw stops.cancelled(done);
}
