import type { Context } from "../context/context.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import { refuseInCase } from "./in-case.ts";
import type { Invocation, ReadParams } from "./read-params.ts";

/**
 * Does what comes before a write: shows the target, checks the guards, and asks. A command that only
 * reads passes.
 * @returns whether the call writes, and whether it is a dry run
 */
export async function beforeWrite(
  context: Context,
  invocation: Invocation,
  read: ReadParams & { readonly project: string | undefined },
): Promise<{ readonly writes: boolean; readonly dryRun: boolean }> {
  const { command, typedOptions } = invocation;
  const writes = command.effect === "write" && (command.writes?.(read, context) ?? true);
  const dryRun = writes && typedOptions.dryRun === true;
  refuseInCase(context.environment.env, invocation, writes && !dryRun);
  if (writes) context.report.notice(await targetLine(context, read.project));
  if (writes && !dryRun) await context.guard.check(context.api, read.project);
  if (command.confirm && !dryRun) await confirm(context, invocation, command.confirm(read));
  return { writes, dryRun };
}

/** The target of a write, shown before anything is sent. */
async function targetLine(
  { target, profiles, guard, environment }: Context,
  project: string | undefined,
): Promise<string> {
  const file = environment.env[SETTINGS.case.env];
  if (file) return `In the case ${file}${project === undefined ? "" : ` · project ${project}`}`;
  const { profile, baseUrl } = target();
  // A shadowed profile still supplies defaults, but its name is not shown.
  const credential = await profiles.credential();
  const who = credential.kind === "none" ? profile : (credential.profile ?? credential.source);
  const guards = guard.labels();
  const name = `${who ?? "no credential"}${guards.profile ? ` (${guards.profile})` : ""}`;
  const parts = [name, project && `project ${project}`, guards.project, baseUrl];
  return `Acting as  ${parts.filter(Boolean).join(" · ")}`;
}

async function confirm(context: Context, { path }: Invocation, question: string): Promise<void> {
  if (context.yes) return;
  if (!context.interactive) {
    const message = `amp ${path} needs confirmation, and this is not an interactive terminal`;
    throw new UsageError(message, { remedy: "Add --yes to confirm.", done: "Nothing was sent." });
  }
  const answer = await context.prompt.confirm({ message: question, flag: "--yes", default: false });
  if (!answer) throw new InterruptedError("Cancelled", { done: "Nothing was sent." });
}
