import type { View } from "../cli/view.ts";
import type { OutputFormat } from "../settings.ts";
import { csvStyle } from "./csv.ts";
import { idLines, jsonLines, ndjsonLines, yamlLines } from "./formats.ts";
import { type LayoutLook, type Lines, layoutOf } from "./layout.ts";

export { createUnknownFields, unknownFields } from "./fields.ts";
export type { LayoutLook } from "./layout.ts";
export { type Counted, closingLine, countedOf, createTally } from "./table.ts";

/** A result, and all that decides how it is written. */
export interface Rendering<Result> extends LayoutLook {
  readonly result: Result;
  /** Without one there is nothing to see, but there may be data. */
  readonly view?: View<Result> | undefined;
  /** Without one: a table or page on a terminal, tab-separated rows in a pipe. */
  readonly format?: OutputFormat | undefined;
  /** Only these fields, in this order; see `pick`. */
  readonly fields?: readonly string[] | undefined;
  /** CSV with every cell as it is. */
  readonly csvRaw?: boolean;
  /** Whether the output is a terminal. */
  readonly tty: boolean;
}

/** Characters after which a chunk is handed over. */
const CHUNK = 1 << 16;

/**
 * The text of a result, in chunks that end at line ends.
 * @throws {UsageError} before the first chunk: for an identifier that nothing has
 */
export async function* renderResult<Result>(
  rendering: Rendering<Result>,
): AsyncGenerator<string, void, undefined> {
  let chunk = "";
  for await (const line of linesOf(rendering as Rendering<unknown>)) {
    chunk += `${line}\n`;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}

const FORMATS = {
  table: (job) => (job.tty ? layout(job).screen(job) : layout(job).whole(job)),
  json: ({ result, fields }) => jsonLines(result, fields),
  ndjson: ({ result, fields }) => ndjsonLines(result, fields),
  yaml: ({ result, fields }) => yamlLines(result, fields),
  csv: (job) => layout(job).csv(csvStyle(job)),
  tsv: (job) => layout(job).rows(),
  id: ({ result, view }) => idLines(result, view),
} as const satisfies Record<OutputFormat, (job: Rendering<unknown>) => Lines>;

function linesOf(job: Rendering<unknown>): Lines {
  return FORMATS[formatOf(job)](job);
}

/** The format that was asked for, or else the one that suits the reader. */
export function formatOf({ format, tty }: Pick<Rendering<never>, "format" | "tty">): OutputFormat {
  return format ?? (tty ? "table" : "tsv");
}

function layout({ result, view, fields }: Rendering<unknown>) {
  return layoutOf(result, view, fields);
}
