import type { OutputFormat } from "../settings.ts";
import { isJsonObject, valueAt } from "../values/json.ts";
import { oddFieldsOf, originalOf } from "../values/odd-fields.ts";
import { columnOf } from "../view/list-names.ts";
import {
  type Cell,
  joined,
  type Page,
  type PageRow,
  type RecordView,
  row,
  type TableView,
  type View,
  valueText,
} from "../view/view.ts";
import { cellOf, pipeCell, terminalCell } from "./cell.ts";
import { fitGrid, type GridColumn, type GridLayout } from "./columns.ts";
import type { JqProgram } from "./jq.ts";
import { pageRows } from "./page.ts";
import type { RenderOptions } from "./paint.ts";
import { spokenRecord } from "./spoken.ts";
import { jsonText, truncate } from "./text.ts";

/** The options by which a result is written. */
export interface WriterOptions extends RenderOptions {
  readonly format: OutputFormat;
  readonly view: View<unknown> | undefined;
  /** The fields to write, in this order; absent: all. See {@link selectFields}. */
  readonly fields?: readonly string[] | undefined;
  /** The columns among the fields, by their names: their cells in place of a field. */
  readonly columns?: ReadonlyMap<string, (item: unknown) => Cell>;
  readonly isList: boolean;
  /** The program of `--jq`, which makes the output of the JSON. */
  readonly jq?: Pick<JqProgram, "isPerItem" | "run"> | undefined;
  readonly tty: boolean;
  readonly now: Date;
  /** Whether progress was shown on the same terminal. */
  readonly progressShown?: boolean;
  /** Called with what a reader of the text should know. */
  readonly warn?: (text: string) => void;
  /** Called with the labels of the columns that do not fit the terminal, before the first row. */
  readonly onHidden?: ((labels: readonly string[]) => void) | undefined;
}

/** The columns of a list, or of the fields of --fields. */
export function columnsOf({ view, fields, columns }: WriterOptions): TableColumn[] | undefined {
  if (fields) return fieldColumns(fields, columns, view);
  if (view?.kind !== "table") return undefined;
  const [first, ...others] = viewColumns(view);
  if (first === undefined) return [];
  // A row of something that is not a record would be empty.
  const read = (item: unknown) => (view.id(item as never) ? undefined : textOfNoRecord(item));
  return [{ ...first, read: (item) => read(item) ?? first.read(item) }, ...others];
}

function textOfNoRecord(item: unknown): Cell {
  const odd = oddFieldsOf(item).find(({ path }) => path === "");
  return odd && { text: valueText(odd.value), tone: "dim" };
}

/** The rows of a list, or of a page. */
export function* rowsOf(
  batch: readonly unknown[],
  { view }: WriterOptions,
  columns: readonly TableColumn[] | undefined,
): Generator<readonly Cell[]> {
  for (const item of batch) {
    if (columns) yield columns.map(({ read }) => read(item));
    else if (view?.kind === "record") yield* pageRows(pageOf(view, item));
  }
}

/** The maximum number of odd fields on a page, and the longest of their values. */
const MAX_ODD_FIELDS = 20;
const MAX_ODD_VALUE = 200;

/**
 * The page of a record, with what could not be shown in its place because it is not as specified:
 * all of it, or what fits a terminal.
 */
export function pageOf({ page }: RecordView<unknown>, item: unknown, isTerminal = false): Page {
  const odd = oddFieldsOf(item);
  if (odd.length === 0) return page(item);
  const texts = odd.slice(0, isTerminal ? MAX_ODD_FIELDS : odd.length).map((one) => {
    const { path, problem, value } = one;
    const whole = value === undefined ? "" : jsonText(value);
    const text = isTerminal ? truncate(whole, MAX_ODD_VALUE) : whole;
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

/** A column of a list, made from a view or from a field. The label is also in the header of CSV. */
export interface TableColumn extends GridColumn {
  readonly read: (item: unknown) => Cell;
}

/** The columns of a list's view. */
export function viewColumns({ columns }: Pick<TableView<never>, "columns">): TableColumn[] {
  return Object.entries(columns).map(([label, column]) => ({
    // The path of a field is typed as it is.
    heading: /\.|[a-z][A-Z]/u.test(label) ? label : label.toUpperCase(),
    label,
    // `View` ties a table to a list of its own items: the compiler cannot see that `item` is one.
    read: (item) =>
      typeof column === "function" ? column(item as never) : cellOf((item as Fields)[column]),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A column for each field of `--fields`. Of a field that is an object, a view with a column of this
 * name knows what to show.
 * @param columns the names among them that are columns of the view
 */
export function fieldColumns(
  fields: readonly string[],
  columns: ReadonlyMap<string, (item: unknown) => Cell> = new Map(),
  view?: View<unknown>,
): TableColumn[] {
  const read = (field: string) => {
    const column = view?.kind === "table" ? columnOf(view, field) : undefined;
    const ofField = (item: unknown) => {
      const value = valueAt(originalOf(item), field);
      return column && isJsonObject(value) ? column(item) : cellOf(value);
    };
    return columns.get(field) ?? ofField;
  };
  return fields.map((field) => ({ heading: field, label: field, read: read(field) }));
}

/** The writer of a list as records, with an empty line between two. */
export function recordWriter(
  columns: readonly TableColumn[],
  options: Pick<WriterOptions, "paint" | "now">,
) {
  const labels = columns.map(({ label }) => label);
  let between = "";
  return {
    *items(batch: readonly unknown[]): Generator<string> {
      for (const item of batch) {
        const cells = columns.map(({ read }) => read(item));
        yield `${between}${spokenRecord(labels, cells, options).join("\n")}\n`;
        between = "\n";
      }
    },
  };
}

/** The number of items that decide the layout of a table. */
const LAYOUT_SAMPLE = 1_000;

/** The writer of a table: the first items decide its layout. */
export function tableWriter(
  columns: readonly TableColumn[],
  {
    tty,
    width,
    paint,
    now,
    view,
    fields,
    onHidden,
  }: Pick<WriterOptions, "tty" | "width" | "paint" | "now" | "view" | "fields" | "onHidden">,
) {
  const enough = view?.kind === "table" && view.growing ? 1 : LAYOUT_SAMPLE;
  const kept = view?.kind === "table" ? view.kept : undefined;
  const shown = columns.map((one) => ({
    ...one,
    ...(kept?.includes(one.label) && { isKept: true }),
  }));
  const show = tty ? (cell: Cell) => terminalCell(cell, now) : pipeCell;
  const options = { width: tty ? width : Number.POSITIVE_INFINITY, paint };
  function* rowsOf(items: readonly unknown[]) {
    for (const item of items) yield columns.map(({ read }) => show(read(item)));
  }
  let sample: unknown[] = [];
  let layout: GridLayout | undefined;
  function* begin(isWhole: boolean): Generator<string> {
    const rows = [...rowsOf(sample)];
    // What was asked for stays: of one thing a card has room for all of it.
    const uncut = fields !== undefined && isWhole && rows.length === 1;
    layout = fitGrid(shown, { rows, isWhole, drops: tty && !fields, uncut }, options);
    if (layout.hidden.length > 0) onHidden?.(layout.hidden);
    for (const line of layout.head) yield `${line}\n`;
    for (const line of layout.lines(rows)) yield `${line}\n`;
    sample = [];
  }
  return {
    *items(batch: readonly unknown[]): Generator<string> {
      if (layout) {
        for (const line of layout.lines(rowsOf(batch))) yield `${line}\n`;
        return;
      }
      sample = sample.concat(batch);
      if (sample.length >= enough) yield* begin(false);
    },
    heldBack: () => (layout || sample.length === 0 ? [] : begin(true)),
  };
}
