import type { CommandContext } from "../context/command-context.ts";
import { AmpError, InterruptedError, UsageError } from "../errors.ts";
import type { Page } from "../view/view.ts";
import { consentQuestion, deletions, type Plan } from "./plan/plan.ts";

/** The consent to a plan: it was given before, or a command needs it. */
export type Consent = "given" | { readonly command: string };

/**
 * Shows a plan, and asks whether to apply it, unless that is known or `--yes` was given.
 * @throws {InterruptedError} where the answer is no
 */
export async function reviewPlan(
  ports: Pick<CommandContext, "yes" | "interactive" | "prompt" | "report">,
  plan: Plan,
  { page, consent }: { readonly page: Page; readonly consent: Consent },
): Promise<void> {
  ports.report.page(page, { isWarning: deletions(plan) > 0 });
  if (consent !== "given") await confirmPlan(ports, plan, consent.command);
}

async function confirmPlan(
  { yes, interactive, prompt }: Pick<CommandContext, "yes" | "interactive" | "prompt">,
  plan: Plan,
  command: string,
): Promise<void> {
  if (yes) return;
  if (!interactive) throw needsYes(command, nothingDone(plan));
  const count = deletions(plan);
  const asked =
    count > MAX_ASKED
      ? prompt
          .input({
            message: `This deletes ${count} resources. Type ${count} to apply the plan`,
            flag: "--yes",
          })
          .then((typed) => typed.trim() === String(count))
      : prompt.confirm({
          message: consentQuestion(plan),
          default: count === 0,
          flag: "--yes",
        });
  const agrees = await asked.catch((error: unknown) => {
    throw error instanceof AmpError ? error.setFacts({ done: nothingDone(plan) }) : error;
  });
  if (!agrees) throw new InterruptedError("Cancelled", { done: nothingDone(plan) });
}

/** The text for what was not done, by the purpose of the plan. */
function nothingDone(plan: Plan): string {
  if (plan.items.some(({ action }) => action === "update")) return "Nothing was changed.";
  return deletions(plan) === 0 ? "Nothing was created." : "Nothing was created or deleted.";
}

/** More deletions than this need more than a key. */
const MAX_ASKED = 3;

/** The error for a command that needs confirmation where the terminal is not interactive. */
export function needsYes(command: string, done = "Nothing was created."): UsageError {
  return new UsageError(`${command} needs confirmation`, {
    remedy: "Add --yes.",
    done,
  });
}
