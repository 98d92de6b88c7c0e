import type { Cell, TableView } from "../cli/view.ts";
import { cellOf, forPipe, type Shown } from "./cell.ts";
import { gridLines } from "./columns.ts";
import { dig } from "./fields.ts";
import type { Look } from "./paint.ts";
import { display } from "./text.ts";
import { displayWidth, pad, wrap } from "./width.ts";

/** A column and how to read its cells, whatever it was made from. */
export interface TableColumn {
  /** Above the column. */
  readonly heading: string;
  /** Beside the value, where columns do not fit; also what CSV calls it. */
  readonly label: string;
  readonly read: (item: unknown) => Cell;
}

/** The columns of a view. */
export function viewColumns(view: Pick<TableView<never>, "columns">): TableColumn[] {
  return Object.entries(view.columns).map(([label, column]) => ({
    heading: label.toUpperCase(),
    label,
    // `View` ties a table to a list of its own items, so this is one of them.
    read: (item) =>
      typeof column === "function" ? column(item as never) : cellOf((item as Fields)[column]),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

/** A column a field, for `--fields`. */
export function fieldColumns(fields: readonly string[]): TableColumn[] {
  const read = (field: string) => (item: unknown) => cellOf(dig(item, field));
  return fields.map((field) => ({ heading: field, label: field, read: read(field) }));
}

/** The table in lines, one at a time; no items make no lines. `show` decides for whom it is. */
export function renderTable(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  { show, ...look }: Look & { readonly show: (cell: Cell) => Shown },
): Iterable<string> {
  const headings = columns.map(({ heading }) => display(heading, { inCell: true }));
  const labels = columns.map(({ label }) => display(label, { inCell: true }));
  const row = (index: number) => columns.map(({ read }) => show(read(items[index])));
  return gridLines({ headings, labels, count: items.length, row }, look);
}

/** The rows as a pipe gets them: tab-separated, no headings, whole ids, RFC 3339 times. */
export function* renderRows(
  columns: readonly TableColumn[],
  items: readonly unknown[],
): Generator<string> {
  for (const item of items) yield tabbed(columns.map(({ read }) => read(item)));
}

/** One line of a pipe. A tab or a line end inside a cell becomes an escape, so that cells count. */
export function tabbed(cells: readonly Cell[]): string {
  return cells.map((cell) => display(forPipe(cell), { inCell: true })).join("\t");
}

/**
 * What stands below a list on a terminal, without its last line end: how many there are, and what to
 * do next.
 */
export function closingLine<Items extends readonly unknown[]>(
  view: Pick<TableView<never, Items>, "noun" | "remark" | "next" | "whenEmpty">,
  items: Items,
  { width, paint }: Look,
): string {
  const [one, many] = view.noun;
  const isEmpty = items.length === 0;
  const count = isEmpty ? `no ${many}` : `${items.length} ${items.length === 1 ? one : many}`;
  const remark = isEmpty ? undefined : view.remark?.(items);
  const left = display(remark ? `${count} · ${remark}` : count, { inCell: true });
  const right = display((isEmpty ? view.whenEmpty : view.next) ?? "", { inCell: true });
  // Set off from the rows above, where there are any.
  const first = isEmpty ? left : `\n${left}`;
  if (right === "") return first;
  const space = width - displayWidth(left) - displayWidth(right);
  if (space < 2) return [first, ...wrap(right, width).map((text) => paint("dim", text))].join("\n");
  return first + pad("", space) + paint("dim", right);
}
