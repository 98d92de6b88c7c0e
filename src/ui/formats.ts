import { UsageError } from "../errors.ts";
import type { OutputFormat } from "../settings.ts";
import { oddFieldsOf } from "../values/odd-fields.ts";
import {
  type Cell,
  joined,
  type Page,
  type PageRow,
  type RecordView,
  row,
  type View,
  valueText,
} from "../view/view.ts";
import { pipeText } from "./cell.ts";
import { selectFields } from "./fields.ts";
import { pageRows, renderPage, usesFrame } from "./page.ts";
import { type RenderOptions, unpainted } from "./paint.ts";
import { fieldColumns, type TableColumn, tableWriter, viewColumns } from "./table.ts";
import { jsonText, sanitize, sanitizeLine } from "./text.ts";
import { truncate } from "./width.ts";

/** The options by which a result is written. */
export interface WriterOptions extends RenderOptions {
  readonly format: OutputFormat;
  readonly view: View<unknown> | undefined;
  /** The fields to write, in this order; absent: all. See {@link selectFields}. */
  readonly fields?: readonly string[] | undefined;
  readonly isList: boolean;
  /** Whether CSV cells are written unchanged. */
  readonly csvRaw?: boolean;
  /** Whether the output is a terminal. */
  readonly tty: boolean;
  readonly now: Date;
  /** Whether progress was shown on the same terminal. */
  readonly progressShown?: boolean;
}

/** The text of one result in one format, batch by batch; one thing is a batch of one. */
export interface Writer {
  /** The text of a batch, in parts. */
  readonly items: (batch: readonly unknown[]) => Iterable<string> | Promise<Iterable<string>>;
  /** The text of items that wait for others; written after a failure too. */
  readonly heldBack?: () => Iterable<string>;
  /** The text at the end of a complete result. */
  readonly end?: () => Iterable<string>;
}

/** Whether a format is one of the result itself, not of its view. */
export function isDataFormat(format: OutputFormat): boolean {
  return format === "json" || format === "ndjson" || format === "yaml";
}

/** Creates the writer of one result. */
export async function createWriter(options: WriterOptions): Promise<Writer> {
  return WRITERS[options.format](options);
}

const WRITERS: Record<OutputFormat, (options: WriterOptions) => Writer | Promise<Writer>> = {
  json({ fields, isList }) {
    const data = selector(fields);
    if (!isList) return eachItem((item) => `${jsonText(data(item), 2)}\n`);
    let before = "[\n";
    return {
      *items(batch) {
        for (const item of batch) {
          // JSON of a list indents the item; the slice removes "[\n" and "\n]".
          yield before + jsonText([data(item)], 2).slice(2, -2);
          before = ",\n";
        }
      },
      end: () => [before === "[\n" ? "[]\n" : "\n]\n"],
    };
  },
  ndjson({ fields }) {
    const data = selector(fields);
    return eachItem((item) => `${jsonText(data(item))}\n`);
  },
  async yaml({ fields, isList }) {
    const { yamlText } = await import("./yaml.ts");
    const data = selector(fields);
    if (!isList) return eachItem((item) => yamlText(data(item)));
    let isEmpty = true;
    return {
      *items(batch) {
        for (const item of batch) {
          isEmpty = false;
          yield yamlText([data(item)]);
        }
      },
      end: () => (isEmpty ? ["[]\n"] : []),
    };
  },
  csv(options) {
    const text = textWriter(options);
    if (text) return text;
    const columns = columnsOf(options);
    const record = csvRecord(options);
    // The header is written with the first rows: a list that fails before them writes nothing.
    let header = columns ? [record(columns.map(({ label }) => label))] : [];
    return {
      *items(batch) {
        yield* header;
        header = [];
        for (const row of rowsOf(batch, options, columns)) yield record(row);
      },
      end: () => header,
    };
  },
  tsv(options) {
    const columns = columnsOf(options);
    return (
      textWriter(options) ?? {
        *items(batch) {
          for (const row of rowsOf(batch, options, columns)) yield tabSeparated(row);
        },
      }
    );
  },
  table(options) {
    const columns = columnsOf(options);
    if (columns) return tableWriter(columns, options);
    return textWriter(options) ?? { items: ([item]) => pageLines(item, options) };
  },
  id: ({ view }) => ({
    items(batch) {
      // A record without an ID has no line; the notice on odd fields reports it.
      const named = batch.map((item) => ({ item, ids: [view ? view.id(item) : ""].flat() }));
      if (named.some(({ item, ids }) => ids.includes("") && oddFieldsOf(item).length === 0)) {
        throw new UsageError("The result has no identifier to print", {
          remedy: "Choose another --output, for example json.",
        });
      }
      return named.flatMap(({ ids }) =>
        ids.flatMap((id) => (id === "" ? [] : `${sanitizeLine(id)}\n`)),
      );
    },
  }),
};

function eachItem(text: (item: unknown) => string): Writer {
  return {
    *items(batch) {
      for (const item of batch) yield text(item);
    },
  };
}

function selector(fields: readonly string[] | undefined) {
  return (item: unknown) => (fields ? selectFields(item, fields) : item);
}

/** The columns of a list, or of the fields of --fields. */
function columnsOf({ view, fields }: WriterOptions): TableColumn[] | undefined {
  if (fields) return fieldColumns(fields);
  if (view?.kind !== "table") return undefined;
  const [first, ...others] = viewColumns(view);
  if (first === undefined) return [];
  // A row of something that is not a record would be empty.
  const read = (item: unknown) => (view.id(item as never) ? undefined : textOfNoRecord(item));
  return [{ ...first, read: (item) => read(item) ?? first.read(item) }, ...others];
}

/** An item of a list that is not a record, as text; undefined for a record. */
function textOfNoRecord(item: unknown): Cell {
  const odd = oddFieldsOf(item).find(({ path }) => path === "");
  return odd && { text: valueText(odd.value), tone: "dim" };
}

/** The rows of a list, or of a page. */
function* rowsOf(
  batch: readonly unknown[],
  { view }: WriterOptions,
  columns: readonly TableColumn[] | undefined,
): Generator<readonly Cell[]> {
  for (const item of batch) {
    if (columns) yield columns.map(({ read }) => read(item));
    else if (view?.kind === "record") yield* pageRows(pageOf(view, item));
  }
}

/** The maximum number of odd fields on a page. */
const MAX_ODD_FIELDS = 20;
const MAX_ODD_VALUE = 200;

/** The page of a record, with what could not be shown in its place because it is not as specified. */
function pageOf({ page }: RecordView<unknown>, item: unknown): Page {
  const odd = oddFieldsOf(item);
  if (odd.length === 0) return page(item);
  const texts = odd.slice(0, MAX_ODD_FIELDS).map(({ path, problem, value }) => {
    const text = value === undefined ? "" : truncate(jsonText(value), MAX_ODD_VALUE);
    return joined([path && `${path}:`, text, `(${problem})`], " ");
  });
  const left = odd.length - texts.length;
  const rows: PageRow[] = row("Not as specified", [
    ...texts,
    left > 0 ? `and ${left} more` : undefined,
  ]);
  const shown = page(item);
  return { ...shown, blocks: [...shown.blocks, { kind: "rows", rows }] };
}

/** The writer of plain text, equal in each text format; undefined for other views. */
function textWriter({ view, fields }: WriterOptions): Writer | undefined {
  if (fields || view?.kind === "table" || view?.kind === "record") return undefined;
  return eachItem((item) => {
    const text = view?.text(item) ?? "";
    return text === "" ? "" : `${sanitize(text).replace(/\n$/u, "")}\n`;
  });
}

async function pageLines(item: unknown, options: WriterOptions): Promise<Iterable<string>> {
  const { view, tty, paint } = options;
  if (view?.kind !== "record") return [];
  const page = pageOf(view, item);
  const frame = usesFrame(page) ? (await import("./frame.ts")).drawFrame : undefined;
  const lines = renderPage(page, {
    ...options,
    paint: tty ? paint : unpainted,
    ...(frame && { frame }),
  });
  return Array.from(lines, (line) => `${line}\n`);
}

/**
 * A row for a program. Tabs and line ends inside a cell are escaped, so that cells can be counted.
 */
function tabSeparated(cells: readonly Cell[]): string {
  return `${cells.map((cell) => sanitizeLine(pipeText(cell))).join("\t")}\n`;
}

/**
 * The places before characters that make a cell a formula in a spreadsheet, at its start or after
 * skipped characters. Where a semicolon separates cells, as in much of Europe, one within a cell
 * begins another cell.
 */
const FORMULA = /(^|;[\s\0]*"*)(?=[=+\-@＝＋－＠])|^(?=[\t\r\n\0])/gu;

/** A writer of CSV records (RFC 4180, but with a line feed alone at the end). */
function csvRecord({ csvRaw = false, tty }: WriterOptions) {
  const field = (cell: Cell): string => {
    const text = pipeText(cell);
    // A number such as -5 is not a formula.
    const safe = !csvRaw && typeof cell !== "number" ? text.replace(FORMULA, "$1'") : text;
    // Raw cells are for programs: a terminal would interpret control characters.
    const shown = csvRaw && !tty ? safe : sanitize(safe);
    return /[",\r\n]/u.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  };
  return (cells: readonly Cell[]): string => `${cells.map(field).join(",")}\n`;
}
