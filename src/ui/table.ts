import { valueAt } from "../values/field-path.ts";
import { isJsonObject } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";
import { columnOf } from "../view/list-names.ts";
import type { Cell, TableView, View } from "../view/view.ts";
import { cellOf, pipeCell, terminalCell } from "./cell.ts";
import type { GridColumn } from "./column-widths.ts";
import { fitGrid, type GridLayout } from "./columns.ts";
import { type RenderOptions, unpainted } from "./paint.ts";

/** A column of a list, made from a view or from a field. The label is also in the header of CSV. */
export interface TableColumn extends GridColumn {
  readonly read: (item: unknown) => Cell;
}

/** The columns of a list's view. */
export function viewColumns({
  columns,
  spare = [],
  optional = [],
  asked = [],
}: Pick<TableView<never>, "columns" | "spare" | "optional" | "asked">): TableColumn[] {
  return Object.entries(columns).map(([label, column]) => ({
    // The path of a field is typed as it is.
    heading: /\.|[a-z][A-Z]/u.test(label) ? label : label.toUpperCase(),
    label,
    ...(asked.includes(label) ? { isAsked: true } : {}),
    ...(spare.includes(label) && !asked.includes(label) ? { spare: spare.indexOf(label) } : {}),
    ...(optional.includes(label) ? { optional: true } : {}),
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
  return fields.map((field) => ({
    heading: field,
    label: field,
    isAsked: true,
    read: read(field),
  }));
}

/** The number of items that decide the layout of a table. */
const LAYOUT_SAMPLE = 1_000;

/** The options by which a table is written. */
interface TableOptions extends RenderOptions {
  readonly tty: boolean;
  readonly now: Date;
  readonly view?: View<unknown> | undefined;
}

/** The writer of a table: the first items decide its layout, to which later cells are cut. */
export function tableWriter(
  columns: readonly TableColumn[],
  { tty, width, paint, now, view }: TableOptions,
) {
  const enough = view?.kind === "table" && view.growing ? 1 : LAYOUT_SAMPLE;
  const show = tty ? (cell: Cell) => terminalCell(cell, now) : pipeCell;
  const options = tty ? { width, paint } : { width: Number.POSITIVE_INFINITY, paint: unpainted };
  function* rowsOf(items: readonly unknown[]) {
    for (const item of items) yield columns.map(({ read }) => show(read(item)));
  }
  let sample: unknown[] = [];
  let layout: GridLayout | undefined;
  function* begin(isWhole: boolean): Generator<string> {
    const rows = [...rowsOf(sample)];
    layout = fitGrid(columns, { rows, isWhole, drops: tty }, options);
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
