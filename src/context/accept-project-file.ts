import type { ProjectFile } from "../config/project-file.ts";
import type { ResolvedSettings } from "../config/resolve-settings.ts";
import type { SettingName } from "../settings.ts";
import type { Prompter, Reporter } from "./command-context.ts";
import { type ProjectTrust, settingsNeedingTrust } from "./trust.ts";

interface AcceptParts {
  readonly file: ProjectFile | undefined;
  readonly settings: Pick<ResolvedSettings, "get" | "untrusted">;
  readonly trust: Pick<ProjectTrust, "add">;
  readonly prompt: Pick<Prompter, "confirm">;
  readonly report: Pick<Reporter, "notice" | "warn">;
  readonly isInteractive: () => boolean;
  readonly markTrusted: () => void;
}

/** The use that a command makes of the project file. */
export interface ProjectFileUse {
  /** The settings that the command uses and that were not typed. */
  readonly used: readonly SettingName[];
  /** Whether the command goes on without the file if it is broken; `notice`: it says so. */
  readonly withoutFile: boolean | "notice";
}

/**
 * Asks once whether the project file is trusted, if the command uses a setting that needs it; where
 * the terminal is not interactive, the setting is refused when it is read, and the file of another
 * user at once. Then shows the place of the state that the file names.
 * @throws {UsageError} if the command needs the file, and it is broken, or another user's and not
 *   trusted
 */
export async function acceptProjectFile(
  { file, settings, trust, prompt, report, isInteractive, markTrusted }: AcceptParts,
  { used, withoutFile }: ProjectFileUse,
): Promise<void> {
  if (file === undefined) return;
  if (file.problem && withoutFile === false) throw file.problem;
  if (file.problem && withoutFile === "notice") {
    report.warn(`${file.problem.message}. The file is ignored.`);
  }
  const untrusted = settings.untrusted(withoutFile === true ? [] : settingsThatAct(file, used));
  const [first] = untrusted;
  if (first !== undefined && isInteractive()) {
    const owner = file.isForeign ? " belongs to another user and" : "";
    report.warn(`${file.path}${owner} is not trusted yet. It sets:`);
    for (const line of settingsNeedingTrust(file)) report.warn(`  ${line}`);
    const message = "Trust this file? Requests and credentials will use these settings.";
    if (await prompt.confirm({ message, flag: "--base-url", default: false })) {
      await trust.add();
      markTrusted();
    }
  }
  // Some settings are read only after a request: the refusal must come before it.
  if (first !== undefined && file.isForeign) settings.get(first);
  if (!used.includes("state")) return;
  const state = settings.get("state");
  if (state?.source === file.path) {
    report.notice(`Using the state ${state.value} (from ${file.path}).`);
  }
}

/**
 * The settings of the file that may act on a command. Of another user's file these are all but the
 * format, which is then ignored.
 */
function settingsThatAct(
  { isForeign, values }: ProjectFile,
  used: readonly SettingName[],
): readonly SettingName[] {
  if (!isForeign) return used;
  return (Object.keys(values) as SettingName[]).filter((name) => name !== "output");
}
