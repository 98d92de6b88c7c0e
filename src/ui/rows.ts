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
import type { JqProgram } from "./jq.ts";
import { pageRows } from "./page.ts";
import type { RenderOptions } from "./paint.ts";
import { fieldColumns, type TableColumn, viewColumns } from "./table.ts";
import { jsonText } from "./text.ts";
import { truncate } from "./width.ts";

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
  readonly jq?: JqProgram | undefined;
  /** Whether CSV cells are written unchanged. */
  readonly csvRaw?: boolean;
  /** Whether the output is a terminal. */
  readonly tty: boolean;
  readonly now: Date;
  /** Whether progress was shown on the same terminal. */
  readonly progressShown?: boolean;
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

/** An item of a list that is not a record, as text; undefined for a record. */
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
 * The page of a record, with what could not be shown in its place because it is not as specified: all
 * of it, or what fits a terminal.
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
