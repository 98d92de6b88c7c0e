import type { Reporter } from "../context/command-context.ts";
import type { Context } from "../context/context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import {
  AmpError,
  type ErrorFacts,
  EXIT,
  type ExitName,
  InterruptedError,
  isInterrupt,
  isStop,
  OutputError,
  ResultError,
  stops,
  type TimeoutError,
  UsageError,
} from "../errors.ts";
import type { Io } from "../io.ts";
import {
  DEADLINE,
  END_GRACE_MS,
  handleSignals,
  type ProtectedWork,
  whenAborted,
} from "../runtime/end-process.ts";
import type { OutputFormat } from "../settings.ts";
import { createUnknownFields, explaining } from "../ui/fields.ts";
import { pagerCommand, writePaged } from "../ui/pager.ts";
import { createListSummary, type ListSummary } from "../ui/status-lines.ts";
import { renderResult } from "../ui/stream.ts";
import { asList } from "../values/basics.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { changeCopyAndOriginal, originalOf } from "../values/odd-fields.ts";
import { formatAt } from "../values/setting.ts";
import { atTarget } from "../values/suggested-command.ts";
import { moreTime } from "../values/time.ts";
import type { Page, View } from "../view/view.ts";
import { dryRunView, type UnsentRequest } from "./before-write.ts";
import { type AnyCommand, Written } from "./define.ts";
import { cliErrors } from "./errors.ts";
import type { Invocation, ReadParams } from "./read-params.ts";
import {
  namedColumns,
  type RequestedOutput,
  withoutIdleColumns,
  withoutMistypedPaths,
  withSortColumns,
} from "./requested-output.ts";

/** The result of a run, and the error that ended it early. */
export interface Ran {
  readonly result: unknown;
  readonly error?: AmpError;
}

/**
 * The result of a run as far as it came.
 * @throws the error itself where nothing began, or a page would only repeat it
 */
export function partialResult(error: unknown, output: OutputSettings, { out }: Io): Ran {
  if (!(error instanceof AmpError) || error.facts.result === undefined) throw error;
  const { result, unlisted: done } = error.facts;
  if (output.isJobLog()) return { result, error: error.setFacts({ done }) };
  if (formatAt(output.format(), out.isTty) === "table") throw error;
  return { result, error };
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
    const isStopped = exit instanceof AmpError && isStop(EXIT[exit.exit].code);
    await writeEvenIfStopped(io, context, isStopped, (signal) =>
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
    if (typeof reason === "string" && command.view?.kind === "table" && !io.out.isTty)
      report.notice(reason);
    return exit;
  }
  // A program finds the reason on stderr for every exit code but 0.
  if (reason instanceof AmpError) throw reason;
  const suggestion = exit === "check" ? command.next?.(run.result, run.read) : undefined;
  const message = reason ?? command.exits?.[exit] ?? EXIT[exit].meaning;
  const error = new ResultError(message, suggestion && { suggestion }, {}, exit);
  throw Object.assign(error, { kind: "result" });
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
  const isSilent = output.quiet && output.format() === undefined;
  if (isSilent && command.passes?.(result)) return undefined;
  const selected = await withoutMistypedPaths(command, selection, result);
  const isForReading = output.forReading();
  const asked = withoutIdleColumns(command.view, selection, isForReading);
  const view = isForReading ? withSortColumns(asked, selection) : asked;
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
      else left.reject(stops.interrupted());
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
  const error = thrown instanceof AmpError ? thrown : stops.interrupted();
  if (signal.reason === DEADLINE) {
    return isInterrupt(error) ? deadlineError(limit, error.facts) : error;
  }
  if (!(error instanceof InterruptedError) || signal.reason === "SIGINT") return error;
  return stops.terminated().setFacts(error.facts);
}

function deadlineError(limit = "--deadline", facts: ErrorFacts): TimeoutError {
  const more = moreTime("--deadline 10m", limit);
  const remedy = asList(facts.remedy, isAllDone(facts) ? [] : more).join(" ");
  return cliErrors.deadline_reached(limit, { ...facts, remedy });
}

/** Whether the run had done everything when the time was over: more of it would change nothing. */
function isAllDone({ data: { settled, failed, unknown, notTried } = {} }: ErrorFacts): boolean {
  const [done, ...left] = [settled, failed, unknown, notTried].map((list) => asList(list));
  return done !== undefined && done.length > 0 && left.every((list) => list.length === 0);
}

interface OutputPorts extends RequestedOutput {
  readonly io: Io;
  readonly settings: OutputSettings;
  readonly report: Reporter;
  readonly signal: AbortSignal;
  readonly invocation: Pick<Invocation, "path" | "command">;
  /** The error that ended the run early: it says what a page would. */
  readonly error?: AmpError;
}

/**
 * Writes a result in the requested format, at the reader's pace. Each batch of a list is released
 * once it is written, because a list may be longer than memory.
 */
async function writeResult<Result>(
  ports: OutputPorts,
  view: View<Result>,
  result: Result,
): Promise<void> {
  const { io, settings, report, selection } = ports;
  const { text, unknownFields, summary } = renderCounted(ports, view, result);
  const isQuit = await writeText(ports, view, text, summary);
  const warnings = [...unknownFields.warnings(), ...selection.doubts().map(({ text }) => text)];
  for (const warning of warnings) report.warn(warning);
  const isSilent = summary?.written() === undefined && !io.out.isTty && warnings.length === 0;
  if (summary && isSilent && settings.format() !== "count" && selection.searched() !== undefined) {
    report.notice(`${summary.nothing(selection.searched())}.`);
  }
  if (ports.error === undefined) noteBesideRows(ports, view, result);
  // The closing line is for a person who sees both streams.
  const isTable = formatAt(settings.format(), true) === "table";
  if (summary && isTable && io.out.isTty && io.err.isTty && !settings.quiet) {
    const isSpoken = settings.isSpoken("err");
    const options = { width: io.err.columns, paint: settings.paint("err"), isSpoken };
    const part = { searched: selection.searched(), isCut: selection.isCut(), isQuit };
    await io.err.write(`${summary.closingLine(options, part)}\n`);
  }
}

/** The text of a result; what is read of it is counted, and searched for the requested fields. */
function renderCounted<Result>(
  { io, settings, report, invocation, jq }: OutputPorts,
  view: View<Result>,
  result: Result,
) {
  const { path, command } = invocation;
  const fields = settings.fields();
  const columns = namedColumns(view, fields, command.fields);
  const unknownFields = createUnknownFields(
    fields?.filter((name) => !columns.has(name)) ?? [],
    fields && explaining(path),
  );
  const summary = view.kind === "table" ? createListSummary(view) : undefined;
  const text = renderResult({
    result,
    view,
    fields,
    columns,
    jq,
    format: formatOf(settings, view),
    tty: io.out.isTty,
    width: io.out.columns,
    paint: settings.paint("out"),
    isSpoken: settings.isSpoken("out"),
    now: io.now(),
    warn: report.warn,
    onHidden: (labels) =>
      report.notice(`Hidden columns: ${labels.join(", ")} (use -o csv or a wider terminal)`),
    progressShown: io.out.isTty && io.err.isTty && !settings.quiet,
    onWritten: (items) => {
      if (fields) unknownFields.add(items.map(originalOf));
      summary?.add(items);
    },
  });
  return { text, unknownFields, summary };
}

/** The format of a result; the log of a job has a page whole, and not its rows beside its prose. */
function formatOf<Result>(settings: OutputSettings, view: View<Result>): OutputFormat | undefined {
  const isParted = view.kind === "record" && view.rows !== undefined;
  return isParted && settings.isJobLog() ? "table" : settings.format();
}

/** @returns whether a pager was quit before the end */
async function writeText<Result>(
  ports: OutputPorts,
  view: View<Result>,
  text: AsyncIterable<string>,
  summary: ListSummary | undefined,
): Promise<boolean> {
  const { io, jq } = ports;
  let isQuit = true;
  /** The text; a pager that is quit leaves it before its end. */
  async function* untilEnd() {
    yield* text;
    isQuit = false;
  }
  try {
    const isGrowing = view.kind === "table" && view.growing === true;
    await (isGrowing ? write(io, untilEnd(), ports.signal) : writeToReader(ports, untilEnd()));
  } catch (error) {
    // A program of --jq holds items back.
    const written = jq ? undefined : summary?.written();
    if (!(error instanceof AmpError)) throw error;
    if (written !== undefined) error.setFacts({ done: `Already written: ${written}.` });
    else if (error instanceof OutputError || (jq && isOfProgram(error)))
      error.setFacts({ done: INCOMPLETE });
    throw error;
  }
  return isQuit;
}

/** Whether a program of `--jq` failed, or was ended. */
function isOfProgram(error: AmpError): boolean {
  return error instanceof UsageError || (isInterrupt(error) && error.facts.done === undefined);
}

/** In a pipe the rows are data: writes the prose that a person reads beside them to stderr. */
function noteBesideRows<Result>(
  { io, settings, report }: OutputPorts,
  view: View<Result>,
  result: Result,
): void {
  const isPiped =
    formatOf(settings, view) === undefined && settings.fields() === undefined && !io.out.isTty;
  if (!isPiped || view.kind !== "record") return;
  const rows = view.rows?.(result);
  if (rows === undefined || rows.isWhole) noteCommands(report, view.page(result));
  else report.page(withoutRows(view.page(result)));
}

/** A page without the blocks whose content the rows have; its title then introduces no list. */
function withoutRows(page: Page): Page {
  const blocks = page.blocks.filter(
    (block) => !("inRows" in block && block.inRows) && !(block.kind === "text" && block.onTerminal),
  );
  const { title } = page;
  return { ...page, blocks, title: typeof title === "string" ? title.replace(/:$/u, ".") : title };
}

/** The maximum of suggested commands beside the rows of a page. */
const MAX_NOTED = 3;

/** Says the suggested commands of a page, which its rows for a pipe do not have. */
function noteCommands(report: Reporter, page: Page): void {
  for (const block of page.blocks) {
    const commands =
      block.kind === "command" ? block.lines.filter((line) => typeof line !== "string") : [];
    const heading = "heading" in block && block.heading ? block.heading : "Next";
    if (commands.length > 0) report.notice(`${heading}:`, ...commands.slice(0, MAX_NOTED));
  }
}

/** Writes the text of a result, through a pager where a terminal has one and the text is longer. */
async function writeToReader(
  { io, settings, signal }: OutputPorts,
  text: AsyncIterable<string>,
): Promise<void> {
  const { out, env, protectedWork } = io;
  const plain = (chunks: AsyncIterable<string>) => write(io, chunks, signal);
  const isPaged = out.isTty && settings.redraws() && !settings.quiet && !settings.ci;
  const command = isPaged ? pagerCommand(env) : undefined;
  if (command === undefined) return plain(text);
  const { rows } = out;
  const handOver = <Done>(work: () => Promise<Done>) => protectedWork.handOver(work());
  return writePaged(text, { command, env, rows, write: plain, handOver });
}

/**
 * Writes chunks. Leaving the loop also ends the source of the text, for example a download.
 * @throws {InterruptedError} if a signal ends the wait for a reader that may never read
 */
async function write(
  { out }: Io,
  chunks: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => {});
  const abort = () => left.reject(stops.interrupted().setFacts({ done: INCOMPLETE }));
  signal.addEventListener("abort", abort, { once: true });
  try {
    for await (const chunk of chunks) {
      if (out.closed) return;
      await Promise.race([handleSignals(signal), left.promise]);
      await Promise.race([out.write(chunk), left.promise]);
      if (out.closed) return;
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const INCOMPLETE = "The command was carried out; only its output is incomplete.";
