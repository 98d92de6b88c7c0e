import type { CommandContext } from "../context/command-context.ts";
import { SETTINGS } from "../settings.ts";

/**
 * Whether a command that waits for changes ends after one look, because it reads a case, in which
 * nothing changes. It says so.
 */
export function endsAfterOneLook({
  environment,
  report,
}: Pick<CommandContext, "environment" | "report">): boolean {
  if (!environment.env[SETTINGS.case.env]) return false;
  report.notice("A case does not change, so amp does not wait. This is the recorded data.");
  return true;
}
