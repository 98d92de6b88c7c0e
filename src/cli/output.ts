import type { Reporter } from "../context/command-context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { AmpError, InterruptedError, UsageError } from "../errors.ts";
import type { Io, Sink } from "../io.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "../settings.ts";
import { createUnknownFields, explaining } from "../ui/fields.ts";
import { createListSummary } from "../ui/status-lines.ts";
import { batchesOf, renderResult } from "../ui/stream.ts";
import { jsonText, sanitize } from "../ui/text.ts";
import { parseJson } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";
import type { Selection } from "../view/selection.ts";
import type { Page, View } from "../view/view.ts";
import { fieldColumns } from "./list-selection.ts";
import type { Invocation } from "./read-params.ts";

/** What the output of a result needs besides the result. */
interface OutputPorts {
  readonly report: Reporter;
  readonly signal: AbortSignal;
  /** The path of the command. */
  readonly path: string;
  /** The part of a list that the result is. */
  readonly selection: Selection;
  /** The declared fields of the result. */
  readonly fields: readonly string[] | undefined;
}

/**
 * Writes a result in the requested format, at the reader's pace. Each batch of a list is released
 * once it is written, because a list may be longer than memory.
 */
export async function writeResult<Result>(
  io: Io,
  settings: OutputSettings,
  { report, signal, path, selection, fields: declared }: OutputPorts,
  view: View<Result>,
  result: Result,
): Promise<void> {
  if (settings.count) {
    await io.out.write(`${await countItems(result)}\n`);
    for (const warning of selection.warnings()) report.warn(warning);
    return;
  }
  const fields = settings.fields();
  const columns = fieldColumns(view, fields, declared);
  const unknownFields = createUnknownFields(
    fields?.filter((name) => !columns.has(name)) ?? [],
    explaining(path),
  );
  const summary = view.kind === "table" ? createListSummary(view) : undefined;
  const text = renderResult({
    result,
    view,
    fields,
    columns,
    format: settings.format(),
    csvRaw: settings.csvRaw,
    tty: io.out.isTty,
    width: io.out.columns,
    paint: settings.paint("out"),
    now: io.now(),
    progressShown: io.out.isTty && io.err.isTty && !settings.quiet,
    onWritten: (items) => {
      if (fields) unknownFields.add(items.map(originalOf));
      summary?.add(items);
    },
  });
  try {
    await write(io, text, signal);
  } catch (error) {
    const written = summary?.written();
    if (!(error instanceof AmpError) || written === undefined) throw error;
    throw error.addFacts({ done: `Already written: ${written}.` });
  }
  for (const warning of [...unknownFields.warnings(), ...selection.warnings()]) {
    report.warn(warning);
  }
  // In a pipe the rows are data: what a person reads beside them is prose.
  const isPiped = settings.format() === undefined && fields === undefined && !io.out.isTty;
  if (isPiped && view.kind === "record" && view.rows) report.page(withoutRows(view.page(result)));
  // The closing line is for a person who sees both streams.
  const isTable = (settings.format() ?? "table") === "table";
  if (summary && isTable && io.out.isTty && io.err.isTty && !settings.quiet) {
    const options = { width: io.err.columns, paint: settings.paint("err") };
    const part = { searched: selection.searched(), isCut: selection.isCut() };
    await io.err.write(`${summary.closingLine(options, part)}\n`);
  }
}

/** A page without the blocks whose content the rows have. */
function withoutRows(page: Page): Page {
  const blocks = page.blocks.filter((block) => !("inRows" in block && block.inRows));
  return { ...page, blocks };
}

/**
 * Refuses a format that a command has no form for, before anything is sent.
 * @throws {UsageError} with the formats that it has
 */
export function assertWritable(
  format: OutputFormat | undefined,
  { command: { view }, path }: Pick<Invocation, "command" | "path">,
): void {
  if (format !== "env" && format !== "markdown") return;
  const isList = view?.kind === "table";
  if (view !== undefined && !(isList && format === "env")) return;
  const others = OUTPUT_FORMATS.filter((one) => isList && one !== "env");
  throw new UsageError(`amp ${path} has no ${format} output`, {
    detail: isList
      ? `A list has no names for its values. Its formats: ${others.join(", ")}.`
      : "It writes its output itself.",
    remedy: isList
      ? "Use -o env with what shows one result, such as get, create, plan, apply or status."
      : "Leave out --output.",
    done: "Nothing was sent.",
  });
}

async function countItems(result: unknown): Promise<number> {
  let count = 0;
  for await (const batch of batchesOf(result)) count += batch.length;
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

/** The output that a command writes to stdout by itself. */
interface RawOutput {
  /** Resolves when the reader has taken the chunk. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Writes a body: JSON is indented on a terminal, everything else is written as it is. */
  body(chunks: AsyncIterable<Uint8Array>, isJson: boolean): Promise<void>;
  /** Ends the last line on a terminal, so that the prompt begins on a line of its own. */
  end(): Promise<void>;
}

/**
 * Writes byte for byte into a pipe or file. On a terminal, control characters become visible escapes,
 * since the bytes may come from somebody else.
 */
export function rawOutput(sink: Sink): RawOutput {
  if (!sink.isTty) {
    const write = (chunk: string | Uint8Array) => sink.write(chunk);
    return { write, body: (chunks) => writeAll(chunks, write), end: async () => {} };
  }
  // A character may be split over two chunks.
  const decoder = new TextDecoder();
  let isLineOpen = false;
  const put = async (text: string) => {
    if (text === "") return;
    isLineOpen = !text.endsWith("\n");
    await sink.write(sanitize(text));
  };
  const write = (chunk: string | Uint8Array) =>
    put(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
  return {
    write,
    async body(chunks, isJson) {
      if (!isJson) return writeAll(chunks, write);
      const held: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of chunks) {
        held.push(chunk);
        size += chunk.length;
        // Nobody reads so much on a screen; it is not kept in memory for that.
        if (size > MAX_INDENTED_BYTES) await writeAll(held.splice(0), write);
      }
      if (size > MAX_INDENTED_BYTES) return writeAll(held, write);
      return put(indented(Buffer.concat(held).toString("utf8")));
    },
    end: async () => {
      await put(decoder.decode());
      if (isLineOpen) await put("\n");
    },
  };
}

const MAX_INDENTED_BYTES = 1024 * 1024;

async function writeAll(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const chunk of chunks) await write(chunk);
}

/** JSON with a line for each member; a text that is not JSON stays as it is. */
function indented(text: string): string {
  try {
    return jsonText(parseJson(text), 2);
  } catch {
    return text;
  }
}
