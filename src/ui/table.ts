import type { Cell, TableView } from "../view/view.ts";
import { cellOf, type ShownCell } from "./cell.ts";
import { fitGrid, type Grid } from "./columns.ts";
import { valueAt } from "./fields.ts";
import type { RenderOptions } from "./paint.ts";
import { sanitizeLine } from "./text.ts";

/** A column of a list, made from a view or from a field. */
export interface TableColumn {
  /** The text above the column. */
  readonly heading: string;
  /** The label in a card and in the header of CSV. */
  readonly label: string;
  readonly read: (item: unknown) => Cell;
  /** Its turn to be dropped on a narrow terminal, from 0; absent: never dropped. */
  readonly spare?: number;
}

/** The columns of a list's view. */
export function viewColumns({
  columns,
  spare = [],
}: Pick<TableView<never>, "columns" | "spare">): TableColumn[] {
  return Object.entries(columns).map(([label, column]) => ({
    heading: label.toUpperCase(),
    label,
    ...(spare.includes(label) ? { spare: spare.indexOf(label) } : {}),
    // `View` ties a table to a list of its own items: the compiler cannot see that `item` is one.
    read: (item) =>
      typeof column === "function" ? column(item as never) : cellOf((item as Fields)[column]),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

/** A column for each field of `--fields`. */
export function fieldColumns(fields: readonly string[]): TableColumn[] {
  const read = (field: string) => (item: unknown) => cellOf(valueAt(item, field));
  return fields.map((field) => ({ heading: field, label: field, read: read(field) }));
}

/** How a table is drawn: `show` turns its cells into texts. */
export interface TableRenderOptions extends RenderOptions {
  readonly show: (cell: Cell) => ShownCell;
}

/** The layout of a table, decided by a sample of its items. */
export function fitTable(
  columns: readonly TableColumn[],
  sample: readonly unknown[],
  options: TableRenderOptions,
): { readonly head: readonly string[]; rows(items: readonly unknown[]): Iterable<string> } {
  const { head, lines } = fitGrid(gridOf(columns, sample, options), options);
  return { head, rows: (items) => lines(gridOf(columns, items, options)) };
}

function gridOf(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  { show }: TableRenderOptions,
): Grid {
  return {
    headings: columns.map(({ heading }) => sanitizeLine(heading)),
    labels: columns.map(({ label }) => sanitizeLine(label)),
    count: items.length,
    spare: columns
      .flatMap(({ spare }, at) => (spare === undefined ? [] : [{ spare, at }]))
      .toSorted((one, other) => one.spare - other.spare)
      .map(({ at }) => at),
    row: (index) => columns.map(({ read }) => show(read(items[index]))),
  };
}
