import type { OutputSettings } from "../context/output-settings.ts";
import type { Io, Sink } from "../io.ts";
import { pipeCell, terminalCell } from "../ui/cell.ts";
import type { JqProgram } from "../ui/jq.ts";
import type { RenderOptions } from "../ui/paint.ts";
import { spokenRow } from "../ui/spoken.ts";
import { displayWidth, jsonText, pad, sanitize, wrap } from "../ui/text.ts";
import { tried } from "../values/basics.ts";
import { parseJson } from "../values/json.ts";
import type { Cell } from "../view/view.ts";
import type { RunContext } from "./define.ts";

/** The output that a command writes to stdout by itself. */
interface RawOutput {
  /** Resolves when the reader has taken the chunk. */
  write(chunk: string | Uint8Array): Promise<void>;
  /**
   * Writes a body: JSON is indented on a terminal and elsewhere ends with a line end; everything
   * else is written as it is.
   */
  body(chunks: AsyncIterable<Uint8Array>, isJson: boolean): Promise<void>;
  /** Ends the last line on a terminal, so that the prompt begins on a line of its own. */
  end(): Promise<void>;
}

/**
 * Writes byte for byte into a pipe or file. On a terminal, control characters become visible
 * escapes, since the bytes may come from somebody else.
 */
export function rawOutput(sink: Sink, jq?: JqProgram): RawOutput {
  if (jq) return jqOutput(sink, jq);
  if (!sink.isTty) {
    const write = (chunk: string | Uint8Array) => sink.write(chunk);
    const body: RawOutput["body"] = (chunks, isJson) =>
      writeAll(isJson ? withLineEnd(chunks) : chunks, write);
    return { write, body, end: async () => {} };
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
        // So much text is not readable on a screen; it is not kept in memory for that.
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

/** Writes rows as something happens: coloured and wrapped on a terminal, TSV in a pipe. */
export function rowOutput(io: Io, settings: OutputSettings): RunContext["writeRow"] {
  const { out } = io;
  const paint = settings.paint("out");
  return (cells, widths = []) => {
    const { isTty, columns: width } = out;
    const isSpoken = settings.isSpoken("out");
    return out.write(liveRow(cells, { isTty, width, paint, now: io.now(), widths, isSpoken }));
  };
}

/** How a row is written that appears as something happens. */
interface LiveRowOptions extends RenderOptions {
  readonly isTty: boolean;
  readonly now: Date;
  /** The least widths of the first cells, so that rows that follow each other have columns. */
  readonly widths: readonly number[];
}

/** The margin of what does not fit in the first line of a row. */
const MARGIN = 11;

/**
 * One row of something that happens, with its line end: the rows that follow are not known, so
 * nothing is cut. A terminal gets the cells that do not fit on lines below; a pipe gets TSV.
 */
export function liveRow(cells: readonly Cell[], options: LiveRowOptions): string {
  const { isTty, now, widths, width, paint, isSpoken } = options;
  if (!isTty) return `${cells.map((cell) => pipeCell(cell).text).join("\t")}\n`;
  if (isSpoken) return `${spokenRow(cells, now)}\n`;
  let lines = "";
  let used = 0;
  for (const [at, cell] of cells.entries()) {
    const { text, tone } = terminalCell(cell, now);
    const least = widths[at] ?? 0;
    if (text === "" && least === 0) continue;
    const painted = (part: string) => (tone === undefined ? part : paint(tone, part));
    const needed = displayWidth(text);
    const gap = used === 0 ? 0 : 2;
    if (used > 0 && used + gap + needed > width) {
      const parts = wrap(text, Math.max(20, width - MARGIN));
      const below = parts.map((part) => pad("", MARGIN) + painted(part)).join("\n");
      // The cell after an empty one begins in its line.
      lines = lines.trim() === "" ? below : `${lines.trimEnd()}\n${below}`;
      used = MARGIN + displayWidth(parts.at(-1) ?? "");
      continue;
    }
    const isLast = cells.slice(at + 1).every((next) => terminalCell(next, now).text === "");
    const fill = isLast ? "" : pad("", Math.max(0, least - needed));
    lines += pad("", gap) + painted(text) + fill;
    used += gap + needed + fill.length;
  }
  return `${lines}\n`;
}

/** The output of a program of `--jq` for each JSON text that a command writes. */
function jqOutput(sink: Sink, jq: JqProgram): RawOutput {
  const run = async (chunks: readonly Uint8Array[]) =>
    sink.write(await jq.run(Buffer.concat(chunks).toString("utf8")));
  return {
    write: (chunk) => run([typeof chunk === "string" ? Buffer.from(chunk) : chunk]),
    async body(chunks) {
      const held: Uint8Array[] = [];
      for await (const chunk of chunks) held.push(chunk);
      return run(held);
    },
    end: async () => {},
  };
}

const MAX_INDENTED_BYTES = 1024 * 1024;

async function writeAll(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const chunk of chunks) await write(chunk);
}

/** A body that ends with a line end, as a tool that reads lines needs it; nothing stays nothing. */
async function* withLineEnd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: number | undefined;
  for await (const chunk of chunks) {
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  if (last !== undefined && last !== LINE_END) yield Uint8Array.of(LINE_END);
}

const LINE_END = 10;

/** JSON with a line for each member; a text that is not JSON stays as it is. */
function indented(text: string): string {
  return tried(() => jsonText(parseJson(text), 2)) ?? text;
}
