import type { ProjectFileUse } from "../context/accept-project-file.ts";
import type { Context } from "../context/context.ts";
import {
  AmpError,
  EXIT,
  type ExitName,
  InterruptedError,
  isStop,
  ResultError,
  ServiceError,
  UsageError,
} from "../errors.ts";
import type { Io } from "../io.ts";
import type { OutputFormat } from "../settings.ts";
import { type CommandTarget, targetOptions } from "../values/command-paths.ts";
import { changeCopyAndOriginal } from "../values/odd-fields.ts";
import { derived } from "../values/derived.ts";
import { atTarget, suggest, withTypedOptions } from "../values/suggested-command.ts";
import type { View } from "../view/view.ts";
import { refuseInCase, targetLine } from "./acting.ts";
import { type Need, type Params, type RunContext, WRITTEN, Written } from "./define.ts";
import { dryRunView, recordRequests } from "./dry-run.ts";
import { assertNeedsMet, assertOptionsAct } from "./idle-options.ts";
import {
  assertFields,
  readSelection,
  withAskedColumns,
  withoutMistypedPaths,
} from "./list-selection.ts";
import { assertWritable, readJq, writeResult } from "./output.ts";
import { rawOutput, rowOutput } from "./raw-output.ts";
import {
  flagIssues,
  type Invocation,
  pasteParams,
  readParams,
  repeatedOptions,
} from "./read-params.ts";
import { errorAfterSignal, untilInterrupted } from "./signals.ts";

export { ioAt } from "./acting.ts";
export { createReporter } from "./reporter.ts";
export { createWaitLine } from "./wait-line.ts";

/** Checks what a command needs, runs it, and writes its output. */
export async function execute(
  io: Io,
  context: Context,
  invocation: Invocation,
): Promise<ExitName | number> {
  try {
    return await runCommand(io, context, invocation);
  } catch (error) {
    const limit = () => context.settings.get("deadline")?.source;
    const reported = context.signal.aborted
      ? errorAfterSignal(context.signal, error, limit())
      : error;
    if (!(reported instanceof AmpError)) throw reported;
    const warnings = context.report.unwritten;
    if (warnings.length > 0) {
      reported.addFacts({ data: { ...reported.facts.data, warnings } });
    }
    const isStopped = context.signal.aborted && isStop(EXIT[reported.exit].code);
    if (invocation.command.effect === "write" && (isStopped || reported instanceof ServiceError)) {
      // What the error itself says has precedence: a request may have had an effect.
      const { done = "Nothing was changed." } = reported.facts;
      if (!context.guard.mayHaveWritten()) reported.addFacts({ done });
    }
    reported.addFacts(
      withTypedOptions(reported.facts, invocation.path, repeatedOptions(invocation)),
    );
    throw flagIssues(reported, invocation.command);
  }
}

async function runCommand(
  io: Io,
  context: Context,
  invocation: Invocation,
): Promise<ExitName | number> {
  const { command, target } = invocation;
  const { output, report } = context;
  const format = output.format();
  // An invalid --fields is refused now, before anything is created.
  assertFields(invocation, output.plainFields());
  if (output.count && command.view?.kind !== "table") {
    throw new UsageError(`--count: the result of amp ${invocation.path} is not a list`);
  }
  assertWritable(format, invocation);
  assertOptionsAct(invocation);
  if (output.csvRaw && format !== "csv") {
    throw new UsageError("--csv-raw applies only to CSV output", { remedy: "Add --output csv." });
  }
  const selection = await readSelection(command, { output, report, now: context.now() });
  const jq = await readJq(io, output);
  await context.acceptProjectFile(projectFileUse(invocation));
  const read = readParams(invocation, context.settings, context.target);
  assertNeedsMet(invocation);
  await pasteParams(invocation, read, context);
  const project = command.needs?.includes("project") ? requireProject(context) : undefined;
  const writes = command.effect === "write" && (command.writes?.(read, context) ?? true);
  const dryRun = writes && invocation.typedOptions.dryRun === true;

  refuseInCase(io.env, invocation, writes && !dryRun);
  if (writes) report.notice(await targetLine(context, project));
  if (writes && !dryRun) await context.guard.check(context.api, project);
  if (command.confirm && !dryRun) await confirm(context, invocation, command.confirm(read));

  const recording = dryRun && command.dryRun !== "own" ? recordRequests(context.api) : undefined;
  const raw = rawOutput(io.out, jq);
  const run: RunContext = derived(context, {
    ...read,
    ...(project === undefined ? {} : { project }),
    api: recording?.api ?? context.api,
    dryRun,
    write: raw.write,
    writeBody: raw.body,
    writeRow: rowOutput(io, output),
    isOutputClosed: () => io.out.closed,
    requireProject: () => requireProject(context),
    selection,
    live: async () => (await import("./live-output.ts")).createLiveOutput(io, output),
    tree: invocation.tree,
  });
  // The record was checked against its needs when it was defined; here its types are not known.
  const running = async () => command.run(run as RunContext<Params, Params, Need>);
  const { result, error } = await untilInterrupted(context.signal, running(), io.protectedWork)
    .then((whole): Ran => ({ result: whole }))
    .catch((failed: unknown) => partialResult(failed, format))
    .finally(raw.end);
  if (report.hasOutput && io.out.isTty && io.err.isTty) await io.err.write("\n");
  const isWritten = result === WRITTEN || result instanceof Written;
  const ended = error ?? (isWritten ? undefined : command.exit?.(result, read));
  const ports = {
    report,
    // The result of a run that was stopped is still written, also by a program of --jq.
    signal: isStopError(ended) ? new AbortController().signal : context.signal,
    selection,
    jq,
    fields: command.fields,
    path: invocation.path,
  };
  if (recording) await writeResult(io, output, ports, dryRunView, recording.requests);
  else if (command.view && !isWritten) {
    const selected = await withoutMistypedPaths(command, selection, result);
    const view = withAskedColumns(command.view, selection, output.forReading());
    const writing = writeResult(io, output, ports, ...atTypedTarget(view, selected, target));
    // The result of a run that was stopped: a reader that takes nothing must not keep it from ending.
    if (!isStopError(ended)) await writing;
    else await untilInterrupted(context.signal, writing, io.protectedWork).catch(() => {});
  }
  const odd = context.oddFields.notice();
  if (odd !== undefined) report.warn(odd);
  const exit = result instanceof Written ? result.exit : isWritten ? "ok" : ended;
  if (exit instanceof AmpError) throw exit;
  if (exit === undefined || exit === "ok") return "ok";
  if (typeof exit === "number") return exit;
  const reason = isWritten || dryRun ? undefined : command.reason?.(result);
  if (output.messages() === "text") {
    // The page of one result says it itself; rows in a pipe are data.
    if (reason && command.view?.kind === "table" && !io.out.isTty) report.notice(reason);
    return exit;
  }
  // A program finds the reason on stderr for every exit code but 0.
  throw new ResultError(exit, reason ?? command.exits?.[exit] ?? EXIT[exit].meaning);
}

/** The result of a run, and the error that ended it early. */
interface Ran {
  readonly result: unknown;
  readonly error?: AmpError;
}

/** The formats of a result that is read without the error: by programs, and in the summary of a CI job. */
const READ_ALONE: ReadonlySet<string | undefined> = new Set(["json", "ndjson", "yaml", "markdown"]);

/**
 * The result of a run as far as it came.
 * @throws the error itself where nothing began, or a page would only repeat it
 */
function partialResult(error: unknown, format: OutputFormat | undefined): Ran {
  const result = error instanceof AmpError ? error.facts.result : undefined;
  if (result === undefined || !READ_ALONE.has(format)) throw error;
  return { result, error: error as AmpError };
}

function isStopError(end: unknown): boolean {
  return end instanceof AmpError && isStop(EXIT[end.exit].code);
}

/**
 * The use that a command makes of the project file. One that uses no service goes on without it, and
 * so do logins, which a broken file of a checkout must not prevent.
 */
function projectFileUse({ path, target, command, typedOptions }: Invocation): ProjectFileUse {
  const offlineWith: readonly string[] = command.offlineWith ?? [];
  if (offlineWith.some((option) => typedOptions[option] !== undefined)) {
    return { used: [], withoutFile: true };
  }
  const settings = targetOptions(path);
  return {
    used: settings.filter((name) => target[name] === undefined),
    withoutFile: settings.length === 0 || (path.startsWith("auth ") && "notice"),
  };
}

/** A view and its result, with suggested commands that act where the command acted. */
function atTypedTarget<Result>(
  view: View<Result>,
  result: Result,
  target: CommandTarget,
): [View<Result>, Result] {
  if (view.kind !== "record") return [atTarget(view, target), result];
  const page = (shown: Result) => atTarget(view.page(shown), target);
  const isObject = typeof result === "object" && result !== null;
  // Data formats write the original of what a page shows.
  const acting = isObject ? changeCopyAndOriginal(result, (one) => atTarget(one, target)) : result;
  return [{ ...view, page }, acting];
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

async function confirm(context: Context, { path }: Invocation, question: string): Promise<void> {
  if (context.yes) return;
  if (!context.interactive) {
    const message = `amp ${path} needs confirmation, and this is not an interactive terminal`;
    throw new UsageError(message, { remedy: "Add --yes to confirm.", done: "Nothing was sent." });
  }
  const answer = await context.prompt.confirm({ message: question, flag: "--yes", default: false });
  if (!answer) throw new InterruptedError("Cancelled", { done: "Nothing was sent." });
}
