import type { TableView } from "../cli/view.ts";
import type { OutputFormat } from "../settings.ts";
import { csvHeader, csvRows, csvStyle } from "./csv.ts";
import { jsonItems } from "./formats.ts";
import { screenTable, WHOLE_TABLE } from "./layout.ts";
import { formatOf, type Rendering, renderResult } from "./render.ts";
import { fieldColumns, fitTable, type TableColumn, viewColumns } from "./table.ts";

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
