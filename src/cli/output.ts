import type { ListResult } from "../api/operations/endpoint.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { AmpError } from "../errors.ts";
import type { Io, Sink } from "../io.ts";
import {
  closingLine,
  createTally,
  createUnknownFields,
  type LayoutRenderOptions,
  type ListSummary,
  listSummaryOf,
  renderBatches,
  renderResult,
  unknownFields,
} from "../ui/stream.ts";
import { sanitize } from "../ui/text.ts";
import type { TableView, View } from "../view/view.ts";

/** Writes a result in the format that was asked for; the reader sets the pace. */
export async function writeResult<Result>(
  io: Io,
  settings: OutputSettings,
  view: View<Result>,
  result: Result,
): Promise<void> {
  if (isLong(result)) return presentLong(io, settings, view as TableView<unknown>, result);
  if (settings.count) return io.out.write(`${[result].flat().length}\n`);
  const fields = settings.fields();
  await warn(io, settings, unknownFields([result].flat(), fields ?? []));
  await write(io, renderResult({ ...lookOf(io, settings), result, view, fields }));
  if (view.kind === "table" && Array.isArray(result)) {
    await close(io, settings, view, listSummaryOf(view as TableView<unknown>, result));
  }
}

/** The same for a list that is too long to be held: each item is forgotten once it is written. */
async function presentLong(
  io: Io,
  settings: OutputSettings,
  view: TableView<unknown>,
  list: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  const fields = settings.fields();
  const unknown = createUnknownFields(fields ?? []);
  const tally = createTally(view.tally);
  let count = 0;
  const batches = (async function* () {
    for await (const batch of list) {
      yield batch;
      // Behind the yield: it is written by now.
      count += batch.length;
      unknown.look(batch);
      tally.add(batch);
    }
  })();
  if (settings.count) {
    for await (const _batch of batches);
    return io.out.write(`${count}\n`);
  }
  try {
    await write(io, renderBatches({ ...lookOf(io, settings), batches, view, fields }));
  } catch (error) {
    if (!(error instanceof AmpError) || count === 0) throw error;
    const [one, many] = view.noun;
    throw error.with({
      done: `What came before was written: ${count} ${count === 1 ? one : many}.`,
    });
  }
  await warn(io, settings, unknown.warnings());
  await close(io, settings, view, { count, remark: tally.remark() });
}

function isLong(result: unknown): result is Exclude<ListResult<unknown>, readonly unknown[]> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

function lookOf(
  io: Io,
  settings: OutputSettings,
): LayoutRenderOptions & Pick<Parameters<typeof renderBatches>[0], "format" | "csvRaw" | "tty"> {
  return {
    format: settings.format(),
    csvRaw: settings.csvRaw,
    tty: io.out.isTty,
    width: io.out.columns,
    paint: settings.paint("out"),
    now: io.now(),
  };
}

/** Leaving the loop ends whatever the text is made from, a download too. */
async function write(io: Io, chunks: AsyncIterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    if (io.out.closed) return;
    await io.out.write(chunk);
    if (io.out.closed) return;
  }
}

async function warn(io: Io, settings: OutputSettings, warnings: readonly string[]): Promise<void> {
  const paint = settings.paint("err");
  for (const warning of warnings) {
    await io.err.write(`${paint("attention", sanitize(warning))}\n`);
  }
}

/** The closing line is for a person who sees both streams. */
async function close(
  io: Io,
  settings: OutputSettings,
  view: TableView<never, never>,
  counted: ListSummary,
): Promise<void> {
  const format = settings.format() ?? "table";
  if (format !== "table" || !io.out.isTty || !io.err.isTty || settings.quiet) return;
  const look = { width: io.err.columns, paint: settings.paint("err") };
  await io.err.write(`${closingLine(view, counted, look)}\n`);
}

/** What a command writes to stdout by itself. */
export interface RawOutput {
  /** Resolves when the reader has taken it. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Ends the last line of a terminal, so that what follows does not stand behind it. */
  end(): Promise<void>;
}

/**
 * Byte for byte into a pipe or file; on a terminal, what it would obey is shown as a visible escape,
 * for the bytes may be somebody else's.
 */
export function rawOutput(sink: Sink): RawOutput {
  if (!sink.isTty) return { write: (chunk) => sink.write(chunk), end: async () => {} };
  // A character may come in two chunks.
  const decoder = new TextDecoder();
  let isLineOpen = false;
  const put = async (text: string) => {
    if (text === "") return;
    isLineOpen = !text.endsWith("\n");
    await sink.write(sanitize(text));
  };
  return {
    write: (chunk) =>
      put(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })),
    end: async () => {
      await put(decoder.decode());
      if (isLineOpen) await put("\n");
    },
  };
}
