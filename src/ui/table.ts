import type { Cell, TableView } from "../view/view.ts";
import { cellOf, pipeText, type ShownCell } from "./cell.ts";
import { fitGrid, type Grid, gridLines } from "./columns.ts";
import { valueAt } from "./fields.ts";
import type { RenderOptions } from "./paint.ts";
import { sanitize } from "./text.ts";
import { displayWidth, pad, wrap } from "./width.ts";

/** A column and how to read its cells, whatever it was made from. */
export interface TableColumn {
  /** Above the column. */
  readonly heading: string;
  /** Beside the value, where columns do not fit; also what CSV calls it. */
  readonly label: string;
  readonly read: (item: unknown) => Cell;
  /** Its turn to go on a narrow terminal, from 0; absent: it stays. */
  readonly spare?: number;
}

/** The columns of a view. */
export function viewColumns({
  columns,
  spare = [],
}: Pick<TableView<never>, "columns" | "spare">): TableColumn[] {
  return Object.entries(columns).map(([label, column]) => ({
    heading: label.toUpperCase(),
    label,
    ...(spare.includes(label) ? { spare: spare.indexOf(label) } : {}),
    // `View` ties a table to a list of its own items, so this is one of them.
    read: (item) =>
      typeof column === "function" ? column(item as never) : cellOf((item as Fields)[column]),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

/** A column a field, for `--fields`. */
export function fieldColumns(fields: readonly string[]): TableColumn[] {
  const read = (field: string) => (item: unknown) => cellOf(valueAt(item, field));
  return fields.map((field) => ({ heading: field, label: field, read: read(field) }));
}

/** For whom a table is: `show` turns its cells into texts. */
export interface TableRenderOptions extends RenderOptions {
  readonly show: (cell: Cell) => ShownCell;
}

/** The table in lines, one at a time; no items make no lines. */
export function renderTable(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  look: TableRenderOptions,
): Iterable<string> {
  return gridLines(gridOf(columns, items, look), look);
}

/** A table whose layout is decided by some of its items. */
export function fitTable(
  columns: readonly TableColumn[],
  sample: readonly unknown[],
  look: TableRenderOptions,
): { readonly head: readonly string[]; rows(items: readonly unknown[]): Iterable<string> } {
  const { head, lines } = fitGrid(gridOf(columns, sample, look), look);
  return { head, rows: (items) => lines(gridOf(columns, items, look)) };
}

function gridOf(
  columns: readonly TableColumn[],
  items: readonly unknown[],
  { show }: TableRenderOptions,
): Grid {
  return {
    headings: columns.map(({ heading }) => sanitize(heading, { inCell: true })),
    labels: columns.map(({ label }) => sanitize(label, { inCell: true })),
    count: items.length,
    spare: columns
      .flatMap(({ spare }, at) => (spare === undefined ? [] : [{ spare, at }]))
      .toSorted((one, other) => one.spare - other.spare)
      .map(({ at }) => at),
    row: (index) => columns.map(({ read }) => show(read(items[index]))),
  };
}

/** The rows as a pipe gets them: tab-separated, no headings, whole ids, RFC 3339 times. */
export function* renderRows(
  columns: readonly TableColumn[],
  items: readonly unknown[],
): Generator<string> {
  for (const item of items) yield tabSeparated(columns.map(({ read }) => read(item)));
}

/** One line of a pipe. A tab or a line end inside a cell becomes an escape, so that cells count. */
export function tabSeparated(cells: readonly Cell[]): string {
  return cells.map((cell) => sanitize(pipeText(cell), { inCell: true })).join("\t");
}

/** What the closing line says of a list. */
export interface ListSummary {
  readonly count: number;
  /** More, for example "1 unhealthy". */
  readonly remark: string | undefined;
}

/** What the closing line says of a list that is there as a whole. */
export function listSummaryOf<Items extends readonly unknown[]>(
  view: Pick<TableView<Items[number], Items>, "remark" | "tally">,
  items: Items,
): ListSummary {
  const tally = createTally(view.tally);
  tally.add(items);
  return { count: items.length, remark: view.remark?.(items) ?? tally.remark() };
}

/** Counts those items of which something is true, as they come. */
export function createTally<Item>(tally: TableView<Item>["tally"] = {}) {
  const counts = Object.entries(tally).map(([what, isSo]) => ({ what, isSo, count: 0 }));
  return {
    add(items: readonly Item[]): void {
      for (const one of counts) one.count += items.filter(one.isSo).length;
    },
    /** `1 unhealthy`; undefined where nothing is true of any. */
    remark(): string | undefined {
      const parts = counts.filter(({ count }) => count > 0);
      return parts.map(({ what, count }) => `${count} ${what}`).join(" · ") || undefined;
    },
  };
}

/**
 * What stands below a list on a terminal, without its last line end: how many there are, and what to
 * do next.
 */
export function closingLine(
  view: Pick<TableView<never, never>, "noun" | "next" | "whenEmpty">,
  { count, remark }: ListSummary,
  { width, paint }: RenderOptions,
): string {
  const [one, many] = view.noun;
  const isEmpty = count === 0;
  const total = isEmpty ? `no ${many}` : `${count} ${count === 1 ? one : many}`;
  const left = sanitize(remark ? `${total} · ${remark}` : total, { inCell: true });
  const right = sanitize((isEmpty ? view.whenEmpty : view.next) ?? "", { inCell: true });
  // Set off from the rows above, where there are any.
  const first = isEmpty ? left : `\n${left}`;
  if (right === "") return first;
  const space = width - displayWidth(left) - displayWidth(right);
  if (space < 2) return [first, ...wrap(right, width).map((text) => paint("dim", text))].join("\n");
  return first + pad("", space) + paint("dim", right);
}
