import type { Context } from "../context/context.ts";
import {
  AmpError,
  type ErrorFacts,
  EXIT,
  type ExitName,
  InterruptedError,
  isInterrupt,
  isStop,
  ResultError,
  TerminatedError,
  TimeoutError,
} from "../errors.ts";
import type { Io } from "../io.ts";
import { DEADLINE, END_GRACE_MS, type ProtectedWork, whenAborted } from "../runtime/end-process.ts";
import type { OutputFormat } from "../settings.ts";
import { asList } from "../values/as-list.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { moreTime } from "../values/duration.ts";
import { changeCopyAndOriginal } from "../values/odd-fields.ts";
import { atTarget } from "../values/suggested-command.ts";
import type { View } from "../view/view.ts";
import { dryRunView, type UnsentRequest } from "./before-write.ts";
import { type AnyCommand, Written } from "./define.ts";
import { withAskedColumns, withoutMistypedPaths } from "./list-selection.ts";
import { writeResult } from "./output.ts";
import type { Invocation, ReadParams } from "./read-params.ts";
import type { RequestedOutput } from "./requested-output.ts";

/** The result of a run, and the error that ended it early. */
export interface Ran {
  readonly result: unknown;
  readonly error?: AmpError;
}

/**
 * The result of a run as far as it came.
 * @throws the error itself where nothing began, or a page would only repeat it
 */
export function partialResult(
  error: unknown,
  format: OutputFormat | undefined,
  { out }: Pick<Io, "out">,
): Ran {
  const result = error instanceof AmpError ? error.facts.result : undefined;
  const isPage = format === "table" || (format === undefined && out.isTty);
  if (result === undefined || isPage) throw error;
  return { result, error: error as AmpError };
}

interface EndedRun extends RequestedOutput, Ran {
  readonly read: ReadParams;
  readonly dryRun: boolean;
  /** The requests of a dry run that were not sent; they are shown in place of the result. */
  readonly requests: readonly UnsentRequest[] | undefined;
}

/** Writes the result of a run, and says how the program ends. */
export async function finishRun(
  io: Io,
  context: Context,
  invocation: Invocation,
  run: EndedRun,
): Promise<ExitName | number> {
  const { command } = invocation;
  const { report } = context;
  const exit = exitOf(command, run);
  if (report.hasOutput && io.out.isTty && io.err.isTty) await io.err.write("\n");
  const shown = await shownResult(context, invocation, run);
  if (shown !== undefined) {
    await writeEvenIfStopped(io, context, isStopError(exit), (signal) =>
      writeResult({ ...run, io, settings: context.output, report, signal, invocation }, ...shown),
    );
  }
  const odd = context.oddFields.notice();
  if (odd !== undefined) report.warn(odd);
  const failure = run.jq?.failure();
  if (failure && exit === "ok") throw failure;
  if (failure) report.warn(`${failure.message}: ${failure.facts.detail}`);
  if (exit instanceof AmpError) throw exit;
  if (exit === "ok" || typeof exit === "number") return exit;
  const reason =
    run.dryRun || run.result instanceof Written ? undefined : command.reason?.(run.result);
  if (context.output.messages() === "text") {
    // The page of one result says it itself; rows in a pipe are data.
    if (reason && command.view?.kind === "table" && !io.out.isTty) report.notice(reason);
    return exit;
  }
  // A program finds the reason on stderr for every exit code but 0.
  const suggestion = exit === "check" ? command.next?.(run.result, run.read) : undefined;
  throw new ResultError(exit, reason ?? command.exits?.[exit] ?? EXIT[exit].meaning, {
    ...(suggestion && { suggestion }),
  });
}

/** How a run ends: by its error, its result, or as a run that wrote its output itself says. */
function exitOf(
  command: AnyCommand,
  { error, result, read }: EndedRun,
): ExitName | AmpError | number {
  if (error !== undefined) return error;
  if (result instanceof Written) return result.exit;
  return command.exit?.(result, read) ?? "ok";
}

/** The view and what it shows; undefined if the run wrote its output itself. */
async function shownResult(
  { output }: Context,
  { command, target }: Invocation,
  { requests, result, selection }: EndedRun,
): Promise<[View<unknown>, unknown] | undefined> {
  if (requests !== undefined) return [dryRunView as View<unknown>, requests];
  if (command.view === undefined || result instanceof Written) return undefined;
  const selected = await withoutMistypedPaths(command, selection, result);
  const view = withAskedColumns(command.view, selection, output.forReading());
  return atTypedTarget(view, selected, target);
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

/**
 * Writes the result also of a run that was stopped, and one that a program of `--jq` makes; but a
 * reader that takes nothing must not keep such a run from ending.
 */
async function writeEvenIfStopped(
  { protectedWork }: Io,
  { signal }: Context,
  isStopped: boolean,
  write: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!isStopped) return write(signal);
  const writing = write(new AbortController().signal);
  await untilInterrupted(signal, writing, protectedWork).catch(() => {});
}

function isStopError(end: unknown): boolean {
  return end instanceof AmpError && isStop(EXIT[end.exit].code);
}

/**
 * The result of the run. An interrupt reaches the run through its own signal; a run that does not
 * end by itself is abandoned after {@link END_GRACE_MS}, but not while it saves what it did.
 */
export async function untilInterrupted<Result>(
  signal: AbortSignal,
  run: Promise<Result> | Result,
  protectedWork: ProtectedWork,
): Promise<Result> {
  const left = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const abort = () => {
    timer = setTimeout(() => {
      if (protectedWork.isRunning) abort();
      else left.reject(new InterruptedError("Interrupted"));
    }, END_GRACE_MS);
  };
  whenAborted(signal, abort);
  try {
    return await Promise.race([run, left.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/**
 * The error to show after a signal. A prompt cannot know which signal it was, and an interrupted
 * stream fails with an error of its own.
 * @param limit where the time limit was set: `--deadline`, `AMP_DEADLINE`, or a file
 */
export function errorAfterSignal(signal: AbortSignal, thrown: unknown, limit?: string): unknown {
  const error = thrown instanceof AmpError ? thrown : new InterruptedError("Interrupted");
  if (signal.reason === DEADLINE) {
    return isInterrupt(error) ? deadlineError(limit, error.facts) : error;
  }
  if (!(error instanceof InterruptedError) || signal.reason === "SIGINT") return error;
  return new TerminatedError("Terminated", error.facts);
}

function deadlineError(limit = "--deadline", facts: ErrorFacts): TimeoutError {
  const more = moreTime("--deadline 10m", limit);
  const remedy = asList(facts.remedy, isAllDone(facts) ? [] : more).join(" ");
  return new TimeoutError(`The time limit of ${limit} was reached`, { ...facts, remedy });
}

/** Whether the run had done everything when the time was over: more of it would change nothing. */
function isAllDone({ data: { settled, failed, unknown, notTried } = {} }: ErrorFacts): boolean {
  const [done, ...left] = [settled, failed, unknown, notTried].map((list) => asList(list));
  return done !== undefined && done.length > 0 && left.every((list) => list.length === 0);
}
