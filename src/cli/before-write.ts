import type { Context } from "../context/context.ts";
import { RejectedError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { SETTINGS } from "../settings.ts";
import type { Invocation, ReadParams } from "./read-params.ts";

/**
 * Does what comes before a write: shows the target and checks the guards. A command that only reads
 * passes.
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

/**
 * Refuses what a case cannot do, before anything is read or asked.
 * @throws {RejectedError} for a write
 * @throws {UsageError} for another service
 */
function refuseInCase(
  env: Io["env"],
  { path, target }: Pick<Invocation, "path" | "target">,
  writes: boolean,
): void {
  const file = env[SETTINGS.case.env];
  if (!file) return;
  const remedy = "Leave the case first, for example with: exit";
  if (target.baseUrl !== undefined) {
    throw new UsageError("--base-url cannot be used inside a case", {
      detail: `Inside the case ${file}, commands read only its recorded responses.`,
      remedy,
      done: "Nothing was sent.",
    });
  }
  if (path === "auth login") {
    throw new UsageError("You cannot log in inside a case", {
      detail: `This is inside the case ${file}, which has a credential of its own.`,
      remedy,
    });
  }
  if (!writes) return;
  throw new RejectedError("A case is read-only", {
    detail: `amp ${path} would change something, but the case ${file} is a recording.`,
    remedy,
    done: "Nothing was sent to any service.",
  });
}
