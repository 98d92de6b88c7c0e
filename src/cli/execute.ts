import type { ProjectFileUse } from "../context/accept-project-file.ts";
import type { Context } from "../context/context.ts";
import { AmpError, type ExitName, nothingDone, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { handleSignals } from "../runtime/end-process.ts";
import { SETTINGS, type SettingName } from "../settings.ts";
import { derived } from "../values/basics.ts";
import { type CommandTarget, targetOptions } from "../values/command-paths.ts";
import { suggest, withTypedOptions } from "../values/suggested-command.ts";
import { beforeWrite, recordRequests } from "./before-write.ts";
import type { Need, Params, RunContext } from "./define.ts";
import {
  errorAfterSignal,
  finishRun,
  partialResult,
  type Ran,
  untilInterrupted,
} from "./finish-run.ts";
import { rawOutput, rowOutput } from "./raw-output.ts";
import {
  flagIssues,
  type Invocation,
  inputFiles,
  pasteParams,
  type ReadParams,
  readParams,
  repeatedOptions,
} from "./read-params.ts";
import { assertNeedsMet, readRequestedOutput } from "./requested-output.ts";

// The command line loads these with this file: in the npm package all of them are one file.
export { createReporter, createWaitLine } from "./reporter.ts";

/** Checks what a command needs, runs it, and writes its output. */
export async function execute(
  io: Io,
  context: Context,
  invocation: Invocation,
): Promise<ExitName | number> {
  const call = { writes: invocation.command.effect === "write" };
  try {
    return await runCommand(io, context, invocation, call);
  } catch (error) {
    const limit = () => context.settings.get("deadline")?.source;
    const reported = context.signal.aborted
      ? errorAfterSignal(context.signal, error, limit())
      : error;
    if (!(reported instanceof AmpError)) throw reported;
    const warnings = context.report.unwritten;
    if (warnings.length > 0) {
      reported.setFacts({ data: { ...reported.facts.data, warnings } });
    }
    if (call.writes && !context.guard.mayHaveWritten()) nothingDone(reported);
    reported.setFacts(
      withTypedOptions(reported.facts, invocation.path, repeatedOptions(invocation)),
    );
    throw flagIssues(reported, invocation.command);
  }
}

async function runCommand(
  io: Io,
  context: Context,
  invocation: Invocation,
  call: { writes: boolean },
): Promise<ExitName | number> {
  const { command } = invocation;
  const { selection, jq } = await readRequestedOutput(io, context, invocation);
  const read = await readInput(context, invocation);
  const { writes, dryRun } = await beforeWrite(context, invocation, read);
  call.writes = writes;
  const recording = dryRun && command.dryRun !== "own" ? recordRequests(context.api) : undefined;
  if (writes && !dryRun) jq?.keepInput();
  const raw = rawOutput(io.out, jq);
  const { project, ...input } = read;
  const run: RunContext = derived(context, {
    ...input,
    ...(project === undefined ? {} : { project }),
    api: recording?.api ?? context.api,
    dryRun,
    write: raw.write,
    writeBody: raw.body,
    writeRow: rowOutput(io, context.output),
    isOutputClosed: () => io.out.closed,
    requireProject: () => requireProject(context),
    selection,
    live: async () => (await import("./live-output.ts")).createLiveOutput(io, context.output),
    tree: invocation.tree,
  });
  // The record was checked against its needs when it was defined; here its types are not known.
  const running = async () => {
    const result = await command.run(run as RunContext<Params, Params, Need>);
    // A command that ends by a signal has seen it, and one that wrote has something to say.
    if (!writes && !context.signal.aborted) await handleSignals(context.signal);
    return result;
  };
  const ran = await untilInterrupted(context.signal, running(), io.protectedWork)
    .then((result): Ran => ({ result }))
    .catch((error: unknown) => partialResult(error, context.output.format(), io))
    .finally(raw.end);
  const { requests } = recording ?? {};
  return finishRun(io, context, invocation, { ...ran, selection, jq, read, dryRun, requests });
}

async function readInput(
  context: Context,
  invocation: Invocation,
): Promise<ReadParams & { readonly project: string | undefined }> {
  await context.acceptProjectFile(projectFileUse(invocation));
  const read = readParams(invocation, context.settings, context.target);
  assertNeedsMet(invocation);
  const files = inputFiles(invocation, read);
  await pasteParams(invocation, read, context);
  const { needs = [], effect } = invocation.command;
  const isNeeded = needs.includes("project");
  // What works without a service reports a missing file itself.
  if (isNeeded || effect === "write") await assertFilesThere(context, isNeeded, files);
  return { ...read, project: isNeeded ? requireProject(context) : undefined };
}

/**
 * Names a file that is not there before a missing login or project: with these, it would be the
 * error.
 * @throws {UsageError} if it cannot be read
 */
async function assertFilesThere(
  context: Context,
  needsProject: boolean,
  files: readonly string[],
): Promise<void> {
  try {
    context.target();
    if (needsProject) requireProject(context);
  } catch {
    for (const file of files) await context.files.realPath(file);
  }
}

/** The settings of every command that uses a saved state. */
const TUNING = ["commitHorizon", "parallel", "lockWait"] as const satisfies readonly SettingName[];

/**
 * The use that a command makes of the project file. One that uses no service goes on without it,
 * and so do logins, which a broken file of a checkout must not prevent.
 */
function projectFileUse({ path, target, command, typedOptions }: Invocation): ProjectFileUse {
  const offlineWith: readonly string[] = command.offlineWith ?? [];
  if (offlineWith.some((option) => typedOptions[option] !== undefined)) {
    return { used: [], withoutFile: true };
  }
  const settings: readonly SettingName[] = targetOptions(path);
  return {
    used: [
      ...settings.filter((name) => target[name as keyof CommandTarget] === undefined),
      ...(settings.includes("state") ? TUNING : []),
    ],
    withoutFile: settings.length === 0 || (path.startsWith("auth ") && "notice"),
  };
}

function requireProject(context: Context): string {
  const project = context.settings.get("project");
  if (project !== undefined) return project.value;
  // Without a login, that is the error: a project alone would not suffice.
  context.target();
  throw new UsageError("This command needs a project", {
    remedy: "Add --project, set AMP_PROJECT, or save a default project when you log in.",
    suggestion: suggest("projects list"),
  });
}

/**
 * The inputs and outputs of a command. In a case, a command that reads the recording has the time
 * when it was made: ages, `--since` and schedules count from then. Others, and waits, have the
 * clock's.
 */
export function ioAt(io: Io, path: string): Io {
  const recorded = Date.parse(io.env[SETTINGS.caseTime.env] ?? "");
  const isReading = Boolean(io.env[SETTINGS.case.env]) && targetOptions(path).length > 0;
  if (!isReading || Number.isNaN(recorded)) return io;
  const ahead = io.now().getTime() - recorded;
  return derived(io, { now: () => new Date(io.now().getTime() - ahead) });
}
