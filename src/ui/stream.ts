import type { OutputFormat } from "../settings.ts";
import { batchesOf, isBatches } from "../values/batches.ts";
import { formatAt, formatFacts } from "../values/setting.ts";
import type { View } from "../view/view.ts";
import { createWriter } from "./formats.ts";
import type { WriterOptions } from "./rows.ts";

/** A result and the options by which it is written. */
export interface Rendering<Result> extends Omit<WriterOptions, "format" | "isList" | "view"> {
  /** The result: one value, a list, or the batches of a list that may be longer than memory. */
  readonly result: Result | AsyncIterable<readonly unknown[]>;
  /** The view; absent: text formats write nothing, data formats write the result. */
  readonly view?: View<Result> | undefined;
  /** The format; absent: a table or page on a terminal, tab-separated rows in a pipe. */
  readonly format?: OutputFormat | undefined;
  /** Called with the items of each batch once its text was taken. */
  readonly onWritten?: (items: readonly unknown[]) => void;
}

type Batches = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;

/** The number of characters after which a chunk is yielded. */
const CHUNK_SIZE = 1 << 16;

/**
 * Writes a result in chunks of text, batch by batch; a list at hand or a single value is one batch.
 * If a later batch fails, the text of the items before it is yielded first.
 * @throws {UsageError} for an item without an identifier, before the first chunk of its batch
 */
export async function* renderResult<Result>(rendering: Rendering<Result>): AsyncGenerator<string> {
  const { onWritten = () => {}, ...options } = asRows(rendering);
  const { result } = options;
  const format = formatAt(options.format, options.tty);
  const { isData, isWhole } = formatFacts(format);
  if (result === undefined && isData) return;
  const isItems = options.fields !== undefined || isData;
  // The names of -o env come from the whole result, unless it is a list.
  const inItems = options.view?.kind === "table" || (isItems && !isWhole);
  const batches: Batches = inItems ? itemsIn(result) : [[result]];
  const isList = Array.isArray(result) || isBatches(result);
  const view = options.view as View<unknown> | undefined;
  const writer = await createWriter({ ...options, format, view, isList });
  try {
    for await (const batch of batches) {
      yield* chunksOf(await writer.items(batch));
      onWritten(batch);
    }
  } catch (error) {
    yield* chunksOf((await writer.heldBack?.()) ?? []);
    throw error;
  }
  yield* chunksOf((await writer.heldBack?.()) ?? []);
  yield* chunksOf((await writer.end?.()) ?? []);
}

/** A rendering of the rows of a view, for the formats of rows where the view has some. */
function asRows<Result>(rendering: Rendering<Result>): Rendering<unknown> {
  const { result, view, fields } = rendering;
  const { isRows } = formatFacts(formatAt(rendering.format, rendering.tty));
  const isPage = view?.kind === "record" && fields === undefined;
  const rows = isPage && isRows ? view.rows?.(result as Result) : undefined;
  if (rows === undefined) return rendering as Rendering<unknown>;
  return { ...rendering, result: rows.items, view: rows.view as View<unknown> };
}

/** The items of a result in batches; a single value is a batch of one. */
export function itemsIn(result: unknown): Batches {
  return batchesOf(Array.isArray(result) || isBatches(result) ? result : [result]);
}

function* chunksOf(parts: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const part of parts) {
    chunk += part;
    if (chunk.length >= CHUNK_SIZE) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}
