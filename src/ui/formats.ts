import type { OutputFormat } from "../settings.ts";
import { asList } from "../values/basics.ts";
import { sizeText } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { isJsonObject, placeOf } from "../values/json.ts";
import { oddFieldsOf, originalOf } from "../values/odd-fields.ts";
import { cellValue } from "../view/list-names.ts";
import type { Cell } from "../view/view.ts";
import { pipeText } from "./cell.ts";
import { selectFields } from "./fields.ts";
import type { JqProgram } from "./jq.ts";
import { renderPage, usesFrame } from "./page.ts";
import {
  columnsOf,
  pageOf,
  recordWriter,
  rowsOf,
  tableWriter,
  type WriterOptions,
} from "./rows.ts";
import { jsonText, sanitize, sanitizeLine } from "./text.ts";

/** The text of one result in one format, batch by batch; one thing is a batch of one. */
export interface Writer {
  /** The text of a batch, in parts. */
  readonly items: (batch: readonly unknown[]) => Parts;
  /** The text of items that wait for others; written after a failure too. */
  readonly heldBack?: () => Parts;
  /** The text at the end of a complete result. */
  readonly end?: () => Parts;
}

type Parts = Iterable<string> | Promise<Iterable<string>>;

/** Creates the writer of one result. */
export async function createWriter(options: WriterOptions): Promise<Writer> {
  return options.jq ? jqWriter(options, options.jq) : WRITERS[options.format](options);
}

const WRITERS: Record<OutputFormat, (options: WriterOptions) => Writer | Promise<Writer>> = {
  json(options) {
    const data = selector(options);
    if (!options.isList) return eachItem((item) => `${jsonText(data(item), 2)}\n`);
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
  ndjson(options) {
    const data = selector(options);
    return eachItem((item) => `${jsonText(data(item))}\n`);
  },
  async yaml(options) {
    const { yamlText } = await import("./yaml.ts");
    const data = selector(options);
    if (!options.isList) return eachItem((item) => yamlText(data(item)));
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
  async env(options) {
    const { envListWriter, envText } = await import("./env.ts");
    const data = selector(options);
    if (options.view?.kind === "table") return envListWriter(data);
    return eachItem((item) => envText(data(item), options.warn));
  },
  async markdown(options) {
    const { markdownWriter } = await import("./markdown.ts");
    return markdownWriter(options);
  },
  csv: (options) => csvWriter(options, false),
  "csv-raw": (options) => csvWriter(options, true),
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
  count() {
    let count = 0;
    return {
      items(batch) {
        count += batch.length;
        return [];
      },
      end: () => [`${count}\n`],
    };
  },
  table(options) {
    const columns = columnsOf(options);
    if (columns && options.isSpoken) return recordWriter(columns, options);
    if (columns) return tableWriter(columns, options);
    return textWriter(options) ?? { items: ([item]) => pageLines(item, options) };
  },
  id: ({ view }) => ({
    items(batch) {
      // A record without an ID has no line; the notice on odd fields reports it.
      const named = batch.map((item) => ({ item, ids: asList(view ? view.id(item) : "") }));
      if (named.some(({ item, ids }) => ids.includes("") && oddFieldsOf(item).length === 0)) {
        throw inputErrors.result_without_id();
      }
      return named.flatMap(({ ids }) =>
        ids.flatMap((id) => (id === "" ? [] : `${sanitizeLine(id)}\n`)),
      );
    },
  }),
};

function csvWriter(options: WriterOptions, isRaw: boolean): Writer {
  const text = textWriter(options);
  if (text) return text;
  const columns = columnsOf(options);
  const record = csvRecord(options, isRaw);
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
}

/**
 * The characters of JSON that a program of `--jq` gets at once, item by item: a call takes a
 * millisecond, and jq ten times as much memory as its text.
 */
const JQ_PART = 2 ** 18;
/** The characters of JSON that it gets as a whole: jq takes ten times as much memory for them. */
const JQ_WHOLE = 128 * 2 ** 20;

/** The output of a program of `--jq`; one that needs the whole list gets it at its end. */
function jqWriter(
  options: WriterOptions,
  { isPerItem, run }: Pick<JqProgram, "isPerItem" | "run">,
): Writer {
  const data = selector(options);
  if (!options.isList) return { items: async ([item]) => [await run(jsonText(data(item)))] };
  let held: string[] = [];
  let size = 0;
  const release = async () => {
    const json = `[${held.join(",")}]`;
    held = [];
    size = 0;
    return [await run(json)];
  };
  return {
    async items(batch) {
      for (const item of batch) {
        const text = jsonText(data(item));
        size += text.length;
        held.push(text);
      }
      if (!isPerItem && size > JQ_WHOLE) throw inputErrors.jq_list_too_large(sizeText(JQ_WHOLE));
      return isPerItem && size >= JQ_PART ? release() : [];
    },
    heldBack: () => (isPerItem && held.length > 0 ? release() : []),
    end: () => (isPerItem ? [] : release()),
  };
}

function eachItem(text: (item: unknown) => string): Writer {
  return {
    *items(batch) {
      for (const item of batch) yield text(item);
    },
  };
}

/** The data of an item: what the service sent, for views read values of the specified types. */
function selector({ fields, columns = new Map() }: WriterOptions) {
  if (fields === undefined) return originalOf;
  if (columns.size === 0) return (item: unknown) => selectFields(originalOf(item), fields);
  const paths = fields.filter((field) => !columns.has(field));
  return (item: unknown) => {
    const original = originalOf(item);
    const selected = selectFields(original, paths);
    if (!isJsonObject(original) || !isJsonObject(selected)) return selected;
    const entries = fields.flatMap((field): [string, unknown][] => {
      const read = columns.get(field);
      const key = read ? field : placeOf(original, field)?.key;
      const value = read ? cellValue(read(item)) : key !== undefined && selected[key];
      return key === undefined || value === undefined ? [] : [[key, value]];
    });
    return Object.fromEntries(entries);
  };
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
  const { view, tty } = options;
  if (view?.kind !== "record") return [];
  const page = pageOf(view, item, tty);
  const frame = usesFrame(page) ? (await import("./frame.ts")).drawFrame : undefined;
  const lines = renderPage(page, {
    ...options,
    isPiped: !tty,
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
function csvRecord({ tty }: WriterOptions, isRaw: boolean) {
  const field = (cell: Cell): string => {
    const text = pipeText(cell);
    // A number such as -5 is not a formula.
    const safe = !isRaw && typeof cell !== "number" ? text.replace(FORMULA, "$1'") : text;
    // Raw cells are for programs: a terminal would interpret control characters.
    const shown = isRaw && !tty ? safe : sanitize(safe);
    return /[",\r\n]/u.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  };
  return (cells: readonly Cell[]): string => `${cells.map(field).join(",")}\n`;
}
