import type { Page, RecordView, TableView, TextView, View } from "../view/view.ts";
import { pipeCell, terminalCell } from "./cell.ts";
import { type CsvStyle, csvHeader, csvRecord, csvRows } from "./csv.ts";
import { hasFramedGrid, pageRows, renderPage } from "./page.ts";
import { type RenderOptions, unpainted } from "./paint.ts";
import {
  fieldColumns,
  renderRows,
  renderTable,
  type TableColumn,
  type TableRenderOptions,
  tabSeparated,
  viewColumns,
} from "./table.ts";
import { sanitize } from "./text.ts";

/** Lines without their line ends. */
export type Lines = Iterable<string> | AsyncIterable<string>;

/** For whom something is laid out. */
export interface LayoutRenderOptions extends RenderOptions {
  readonly now: Date;
}

/** A result as its view lays it out, in each of the forms that are made of text. */
export interface Layout {
  /** For a terminal. */
  readonly screen: (look: LayoutRenderOptions) => Lines;
  /** The same for a pipe: no colour, and nothing shortened or relative in a table. */
  readonly whole: (look: LayoutRenderOptions) => Lines;
  /** Tab-separated. */
  readonly rows: () => Lines;
  readonly csv: (style: CsvStyle) => Lines;
}

/**
 * How a result is laid out. Fields, where given, take the place of the view's own columns, and turn
 * a single thing into a table of one.
 */
export function layoutOf(
  result: unknown,
  view: View<unknown> | undefined,
  fields: readonly string[] | undefined,
): Layout {
  if (fields) return tableLayout(fieldColumns(fields), itemsOf(result));
  if (!view) return EMPTY_LAYOUT;
  const lay = LAYOUTS[view.kind] as (view: View<unknown>, result: unknown) => Layout;
  return lay(view, result);
}

/** The items of a result, be it a list or one thing. */
export function itemsOf(result: unknown): readonly unknown[] {
  return Array.isArray(result) ? result : [result];
}

const EMPTY_LAYOUT: Layout = { screen: () => [], whole: () => [], rows: () => [], csv: () => [] };

const LAYOUTS = {
  table: (view: TableView<unknown>, result: unknown) =>
    tableLayout(viewColumns(view), itemsOf(result)),
  record: (view: RecordView<unknown>, result: unknown) => pageLayout(view.page(result)),
  text: (view: TextView<unknown>, result: unknown) => textLayout(view.text(result)),
} satisfies Record<View<readonly unknown[]>["kind"], unknown>;

/** A table for a terminal. */
export function screenTable({ now, ...look }: LayoutRenderOptions): TableRenderOptions {
  return { ...look, show: (cell) => terminalCell(cell, now) };
}

/** A table for a pipe. */
export const WHOLE_TABLE: TableRenderOptions = {
  width: Number.POSITIVE_INFINITY,
  paint: unpainted,
  show: pipeCell,
};

function tableLayout(columns: readonly TableColumn[], items: readonly unknown[]): Layout {
  return {
    screen: (look) => renderTable(columns, items, screenTable(look)),
    whole: () => renderTable(columns, items, WHOLE_TABLE),
    rows: () => renderRows(columns, items),
    *csv(style) {
      yield csvHeader(columns, style);
      yield* csvRows(columns, items, style);
    },
  };
}

function pageLayout(page: Page): Layout {
  const screen = async function* (look: LayoutRenderOptions) {
    const frame = hasFramedGrid(page) ? (await import("./frame.ts")).drawFrame : undefined;
    yield* renderPage(page, frame ? { ...look, frame } : look);
  };
  return {
    screen,
    whole: (look) => screen({ ...look, paint: unpainted }),
    rows: () => [...pageRows(page)].map(tabSeparated),
    csv: (style) => [...pageRows(page)].map((cells) => csvRecord(cells, style)),
  };
}

function textLayout(text: string): Layout {
  const lines = () => (text === "" ? [] : [sanitize(text).replace(/\n$/u, "")]);
  return { screen: lines, whole: lines, rows: lines, csv: lines };
}
