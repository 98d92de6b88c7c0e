import type { Reporter } from "../context/command-context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { AmpError, InterruptedError, OutputError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { createUnknownFields, explaining } from "../ui/fields.ts";
import { pagerCommand, writePaged } from "../ui/pager.ts";
import { createListSummary, type ListSummary } from "../ui/status-lines.ts";
import { itemsIn, renderResult } from "../ui/stream.ts";
import { originalOf } from "../values/odd-fields.ts";
import type { Page, View } from "../view/view.ts";
import { namedColumns } from "./list-selection.ts";
import type { Invocation } from "./read-params.ts";
import type { RequestedOutput } from "./requested-output.ts";

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
export async function writeResult<Result>(
  ports: OutputPorts,
  view: View<Result>,
  result: Result,
): Promise<void> {
  const { io, settings, report, selection } = ports;
  if (settings.count) {
    await io.out.write(`${await countItems(result)}\n`);
    for (const warning of selection.warnings()) report.warn(warning);
    return;
  }
  const { text, unknownFields, summary } = renderCounted(ports, view, result);
  const isQuit = await writeText(ports, view, text, summary);
  const warnings = [...unknownFields.warnings(), ...selection.warnings()];
  for (const warning of warnings) report.warn(warning);
  const isSilent = summary?.written() === undefined && !io.out.isTty && warnings.length === 0;
  if (summary && isSilent && selection.searched() !== undefined) {
    report.notice(`${summary.nothing(selection.searched())}.`);
  }
  if (ports.error === undefined) noteBesideRows(ports, view, result);
  // The closing line is for a person who sees both streams.
  const isTable = (settings.format() ?? "table") === "table";
  if (summary && isTable && io.out.isTty && io.err.isTty && !settings.quiet) {
    const options = { width: io.err.columns, paint: settings.paint("err") };
    const part = { searched: selection.searched(), isCut: selection.isCut(), isQuit };
    await io.err.write(`${summary.closingLine(options, part)}\n`);
  }
}

/**
 * The text of a result; what is read of it is counted, and searched for the fields that were asked
 * for.
 */
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
    format: settings.format(),
    csvRaw: settings.csvRaw,
    tty: io.out.isTty,
    width: io.out.columns,
    paint: settings.paint("out"),
    now: io.now(),
    warn: report.warn,
    progressShown: io.out.isTty && io.err.isTty && !settings.quiet,
    onWritten: (items) => {
      if (fields) unknownFields.add(items.map(originalOf));
      summary?.add(items);
    },
  });
  return { text, unknownFields, summary };
}

/** @returns whether a pager was quit before the end */
async function writeText<Result>(
  ports: OutputPorts,
  view: View<Result>,
  text: AsyncIterable<string>,
  summary: ListSummary | undefined,
): Promise<boolean> {
  const { io, signal, jq } = ports;
  let isQuit = true;
  /** The text; a pager that is quit leaves it before its end. */
  async function* untilEnd() {
    yield* text;
    isQuit = false;
  }
  if (jq) {
    // The program may never end, and a signal that came before would then never be handled.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  try {
    const isGrowing = view.kind === "table" && view.growing === true;
    await (isGrowing ? write(io, untilEnd(), signal) : writeToReader(ports, untilEnd()));
  } catch (error) {
    // A program of --jq holds items back.
    const written = jq ? undefined : summary?.written();
    if (!(error instanceof AmpError)) throw error;
    if (written !== undefined) error.setFacts({ done: `Already written: ${written}.` });
    else if (error instanceof OutputError || (jq && error instanceof UsageError))
      error.setFacts({ done: INCOMPLETE });
    throw error;
  }
  return isQuit;
}

/** In a pipe the rows are data: writes the prose that a person reads beside them to stderr. */
function noteBesideRows<Result>(
  { io, settings, report }: OutputPorts,
  view: View<Result>,
  result: Result,
): void {
  const isPiped =
    settings.format() === undefined && settings.fields() === undefined && !io.out.isTty;
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

/** Says the suggested commands of a page, which its rows for a pipe do not have. */
function noteCommands(report: Reporter, page: Page): void {
  for (const block of page.blocks) {
    const commands =
      block.kind === "command" ? block.lines.filter((line) => typeof line !== "string") : [];
    const heading = "heading" in block && block.heading ? block.heading : "Next";
    if (commands.length > 0) report.notice(`${heading}:`, ...commands);
  }
}

/** Writes the text of a result, through a pager where a terminal has one and the text is longer. */
async function writeToReader(
  { io, settings, signal }: OutputPorts,
  text: AsyncIterable<string>,
): Promise<void> {
  const { out, env, protectedWork } = io;
  const plain = (chunks: AsyncIterable<string>) => write(io, chunks, signal);
  const isPaged = out.isTty && env.TERM !== "dumb" && !settings.quiet && !settings.ci;
  const command = isPaged ? pagerCommand(env) : undefined;
  if (command === undefined) return plain(text);
  const { rows } = out;
  const handOver = <Done>(work: () => Promise<Done>) => protectedWork.handOver(work());
  return writePaged(text, { command, env, rows, write: plain, handOver });
}

async function countItems(result: unknown): Promise<number> {
  let count = 0;
  for await (const batch of itemsIn(result)) count += batch.length;
  return count;
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
  const abort = () => left.reject(new InterruptedError("Interrupted", { done: INCOMPLETE }));
  signal.addEventListener("abort", abort, { once: true });
  try {
    for await (const chunk of chunks) {
      if (out.closed) return;
      await Promise.race([out.write(chunk), left.promise]);
      if (out.closed) return;
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const INCOMPLETE = "The command was carried out; only its output is incomplete.";
