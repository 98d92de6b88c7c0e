import type { OutputFormat } from "../settings.ts";
import type { TableView, View } from "../view/view.ts";
import { csvHeader, csvRows, csvStyle } from "./csv.ts";
import { idLines, jsonItems, jsonLines, ndjsonLines, yamlLines } from "./formats.ts";
import {
  type LayoutRenderOptions,
  type Lines,
  layoutOf,
  screenTable,
  WHOLE_TABLE,
} from "./layout.ts";
import { fieldColumns, fitTable, type TableColumn, viewColumns } from "./table.ts";

export { createUnknownFields, unknownFields } from "./fields.ts";
export type { LayoutRenderOptions } from "./layout.ts";
export { closingLine, createTally, type ListSummary, listSummaryOf } from "./table.ts";

/** A result, and all that decides how it is written. */
export interface Rendering<Result> extends LayoutRenderOptions {
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

/** A list that comes in batches, and all that decides how it is written. */
export interface BatchRendering extends Omit<Rendering<readonly unknown[]>, "result" | "view"> {
  readonly batches: AsyncIterable<readonly unknown[]>;
  readonly view: TableView<unknown>;
}

/** Items by which the layout of a table is decided; the widths of further ones give way. */
const SAMPLE = 1_000;

/**
 * The text of a long list, a batch at a time: the same as of the list as a whole, but that a table
 * is laid out by its beginning. What came before a failure is yielded first.
 */
export function renderBatches(job: BatchRendering): AsyncGenerator<string> {
  return (JOINED[formatOf(job)] ?? byThemselves)(job);
}

/** Formats in which a list is more than its batches below each other. */
const JOINED: Partial<Record<OutputFormat, typeof byThemselves>> = {
  async *json({ batches, fields }) {
    let before = "[\n";
    for await (const batch of batches) {
      yield before + jsonItems(batch, fields);
      before = ",\n";
    }
    yield "\n]\n";
  },
  async *csv({ batches, view, fields, ...how }) {
    const columns = columnsOf(view, fields);
    const style = csvStyle(how);
    // With the first rows: where there are none for a failure, nothing is written.
    let head = [csvHeader(columns, style)];
    for await (const batch of batches) {
      yield text([...head, ...csvRows(columns, batch, style)]);
      head = [];
    }
    if (head.length > 0) yield text(head);
  },
  async *table({ batches, view, fields, tty, ...look }) {
    const columns = columnsOf(view, fields);
    const sample: unknown[] = [];
    let table: ReturnType<typeof fitTable> | undefined;
    const begin = () => {
      table = fitTable(columns, sample, tty ? screenTable(look) : WHOLE_TABLE);
      return text([...table.head, ...table.rows(sample)]);
    };
    try {
      for await (const batch of batches) {
        if (table) yield text([...table.rows(batch)]);
        else if (sample.push(...batch) >= SAMPLE) yield begin();
      }
    } catch (error) {
      if (!table && sample.length > 0) yield begin();
      throw error;
    }
    if (!table) yield begin();
  },
};

async function* byThemselves({ batches, ...job }: BatchRendering): AsyncGenerator<string> {
  for await (const result of batches) yield* renderResult<readonly unknown[]>({ ...job, result });
}

function columnsOf(view: TableView<unknown>, fields: readonly string[] | undefined): TableColumn[] {
  return fields ? fieldColumns(fields) : viewColumns(view);
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
