/**
 * Views lay out results as data. Commands and domains build them; `src/ui` turns them into text
 * for a terminal, a pipe, CSV or identifiers. This module prints, colours and measures nothing.
 */

import { asList } from "../values/basics.ts";
import { isEmptyValue } from "../values/json.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";

/** The source of a column's value: the name of a field, or a function. */
export type Column<Item> = (keyof Item & string) | ((item: Item) => Cell);

/** A list with one row per item. The type parameter is the list, so that a command's result is inferred. */
export interface TableView<Items> {
  readonly kind: "table";
  /** The columns by heading, in order. */
  readonly columns: Readonly<Record<string, Column<ItemOf<Items>>>>;
  /** The columns that are shown only where a filter or sorting uses one of them. */
  readonly onRequest?: readonly string[];
  /** The columns that only programs get. */
  readonly forPrograms?: readonly string[];
  /** The columns that a narrow terminal keeps, cut if need be; absent: those on the left. */
  readonly kept?: readonly string[];
  /** The text of an item for `-o id`; by default its `id`. */
  readonly id: (item: ItemOf<Items>) => string;
  /** The singular and plural, for "1 installation" and "no installations". */
  readonly noun: readonly [one: string, many: string];
  /** The counts of the closing line: `{ unhealthy: (item) => … }` makes "1 unhealthy". */
  readonly tally?: Readonly<Record<string, (item: ItemOf<Items>) => boolean>>;
  /** Whether items arrive while it is read: a terminal shows each batch at once. */
  readonly growing?: true;
  /** The command that a reader of the list needs next, or a sentence on it. */
  readonly next?: SuggestedCommand | string;
  /** A sentence in place of `next` for an empty list. */
  readonly whenEmpty?: string | SuggestedCommand;
}

/** A label with its value; several values are written below each other. */
export type PageRow = readonly [label: string, value: Cell | readonly Cell[]];

/** The outcome of a step of the work. */
export type ProgressState = "done" | "unchanged" | "failed" | "unknown";

/** One step of the work, as its line on the terminal shows it. */
export interface ProgressEntry {
  readonly state: ProgressState;
  /** The kind of resource, for example `topic` or `route`. */
  readonly kind: string;
  readonly name: string;
  readonly id?: string | undefined;
  /** The reason, where the state does not show it. */
  readonly note?: string | undefined;
}

/** A routing to draw: events flow into a topic, the topic into destinations. */
export interface RoutingPicture {
  readonly topics: readonly {
    readonly name: string;
    readonly note?: string;
    readonly events: readonly string[];
    readonly destinations: readonly { readonly name: string; readonly note?: string }[];
  }[];
}

/** A count, drawn as a bar beside its label. */
export interface Bar {
  readonly label: Cell;
  readonly count: number;
}

/** What blocks have in common that lay out the data of a result. */
interface DataBlock {
  readonly heading?: string;
  /** Whether the rows of the view have its content, for a pipe. */
  readonly inRows?: boolean;
}

/** A part of a record, in the order of reading. */
export type Block =
  | (DataBlock & { readonly kind: "rows"; readonly rows: readonly PageRow[] })
  | (DataBlock & { readonly kind: "routing"; readonly picture: RoutingPicture })
  | (DataBlock & {
      readonly kind: "grid";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
      /** The rows that a terminal shows, where all of them would hide the rest of the page. */
      readonly onTerminal?: readonly (readonly Cell[])[];
      /** Framed grids are for receipts and comparisons of a screenful. */
      readonly framed?: boolean;
      /** Whether a terminal draws a card for each row: for sentences, none of which may be cut. */
      readonly cards?: boolean;
      /** Whether its content was shown as progress: a terminal that showed it leaves it out. */
      readonly wasProgress?: boolean;
    })
  /** A bar for each count; a pipe gets the counts. */
  | {
      readonly kind: "bars";
      readonly heading: string;
      readonly bars: readonly Bar[];
      /** The number of bars that a terminal shows; it adds up the others. */
      readonly maxBars: number;
    }
  /** Lines to copy: never wrapped or truncated; suggested commands are folded by a backslash. */
  | {
      readonly kind: "command";
      readonly heading?: string;
      readonly lines: readonly (string | SuggestedCommand)[];
    }
  /** Plain prose, wrapped to the width. */
  | {
      readonly kind: "text";
      readonly text: string;
      readonly tone?: Tone;
      /** Whether it says what only a terminal leaves out: every other output has it. */
      readonly onTerminal?: true;
    };

/** One thing laid out for reading. */
export interface Page {
  /** The answer, in the first line; empty for no more than blocks. */
  readonly title: Cell;
  /** A text at the right end of the title line, or below the title if it does not fit. */
  readonly aside?: string;
  /** A block without content is left out, with its heading. */
  readonly blocks: readonly Block[];
}

/** One result shown as a page. */
export interface RecordView<Result> {
  readonly kind: "record";
  readonly page: (result: Result) => Page;
  /** The text for `-o id`; a list has a line for each, and may be empty. */
  readonly id: (result: Result) => string | readonly string[];
  /** The page as more people may read it, in Markdown for a ticket; absent: the page itself. */
  readonly ticketPage?: (page: Page, result: Result) => Page;
  /** The result as rows, for CSV, TSV and a pipe; absent: the rows of the page. */
  readonly rows?: ((result: Result) => ViewRows) | undefined;
}

/** A result as a list with a view of its own. */
export interface ViewRows {
  readonly items: readonly unknown[];
  readonly view: TableView<readonly never[]>;
  /** Whether they say all that the page says but the commands that it suggests. */
  readonly isWhole?: true;
}

/** The rows of a result: items with the columns of each. */
export function rowsOfItems<Item>(
  items: readonly Item[],
  view: TableView<readonly Item[]>,
): ViewRows {
  return { items, view: view as TableView<readonly unknown[]> };
}

/** A result shown as plain lines, also in a pipe. */
interface TextView<Result> {
  readonly kind: "text";
  readonly text: (result: Result) => string;
  readonly id: (result: Result) => string;
}

type ItemOf<Result> = Result extends readonly unknown[] ? Result[number] : unknown;

/** The view of a command's result; a table takes a list. */
export type View<Result> = RecordView<Result> | TextView<Result> | TableView<Result>;

/** A view with one row per item. */
export function table<Item>(
  noun: readonly [one: string, many: string],
  columns: Readonly<Record<string, Column<Item>>>,
  more: Partial<Omit<TableView<readonly Item[]>, "kind" | "noun" | "columns">> = {},
): TableView<readonly Item[]> {
  return { kind: "table", noun, columns, id: idOf, ...more };
}

/** A view of one result, laid out for reading. */
export function record<Result>(
  page: (result: Result) => Page,
  id: RecordView<Result>["id"] = idOf,
  rows?: RecordView<Result>["rows"],
): RecordView<Result> {
  return { kind: "record", page, id, rows };
}

/** A view of plain lines. */
export function lines<Result>(
  line: (result: Result) => string,
  id: (result: Result) => string = idOf,
): TextView<Result> {
  return { kind: "text", text: line, id };
}

function idOf(item: unknown): string {
  const id = (item as { id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

/** A row, or none for an absent value: a page has no empty labels. */
export function row(label: string, value: Cell | readonly Cell[]): PageRow[] {
  return asList(value).some((cell) => (cell ?? "") !== "") ? [[label, value]] : [];
}

/** A row with any JSON value, or none for an empty one. */
export function valueRow(label: string, value: unknown): PageRow[] {
  return isEmptyValue(value) ? [] : [[label, valueText(value)]];
}

/** The commands that a reader needs next. */
export function nextBlock(...lines: readonly SuggestedCommand[]): Block {
  return { kind: "command", heading: "Next", lines };
}

/** A sentence of less weight than the rest of a page. */
export function dimBlock(text: string): Extract<Block, { kind: "text" }> {
  return { kind: "text", text, tone: "dim" };
}

export function rows(all: readonly PageRow[], heading?: string): Extract<Block, { kind: "rows" }> {
  return { kind: "rows", rows: all, ...(heading === undefined ? {} : { heading }) };
}

/** A block of text; none where there is nothing to say. */
export function note(text: string | undefined, tone?: Tone): Block[] {
  return text ? [{ kind: "text", text, ...(tone && { tone }) }] : [];
}

/** A route from one name to the next, or a node with what is said of it. */
export type GraphRow = readonly [kind: string, name: string, to: string];

/** The routes of a picture. */
export function routingEdges({ topics }: RoutingPicture): GraphRow[] {
  return topics.flatMap(({ name, events, destinations }) => [
    ...events.map((event) => ["event-route", event, name] as const),
    ...destinations.map((destination) => ["destination-route", name, destination.name] as const),
  ]);
}

/** Routes and nodes as the rows of a result. */
export function graphRowsOf(items: readonly GraphRow[]): ViewRows {
  const columns = {
    Kind: ([kind]: GraphRow) => kind,
    Name: ([, name]: GraphRow) => name,
    To: ([, , to]: GraphRow) => to,
  };
  return { ...rowsOfItems(items, table<GraphRow>(["row", "rows"], columns)), isWhole: true };
}

/** The values of tables and pages as data, and how they are made. */

/** A meaning that a colour shows; every view is understood without colours. */
export type Tone = "good" | "attention" | "bad" | "dim" | "strong";

/** A value with a tone or kind. */
export interface RichCell {
  readonly text: string;
  readonly tone?: Tone;
  /**
   * `time`: `text` is RFC 3339, shown relative on a terminal and as it is in a pipe.
   * `id`: an identifier, never cut; its column is never left out. `address`: the name of a resource.
   * `state`: in the words of a reader.
   */
  readonly kind?: "time" | "id" | "address" | "state";
  /** Whether what began at this time may have begun earlier. */
  readonly orEarlier?: true;
  /** The text for a pipe, if it differs. */
  readonly raw?: string;
  /** Another text by which a filter finds it. */
  readonly also?: string;
  /** Whether it is wrapped instead of cut, where it is in the last column of a table. */
  readonly wraps?: true;
}

/** One value of a table or record. `undefined`, `null` and `""` are empty. */
export type Cell = string | number | boolean | null | undefined | RichCell;

/**
 * A time of the service: "2h ago" on a terminal, RFC 3339 in a pipe.
 * @param orEarlier whether what began then may have begun earlier, which every output says
 */
export function time(value: string | null | undefined, orEarlier?: true): Cell {
  if (value === undefined || value === null) return undefined;
  return { text: value, kind: "time", ...(orEarlier && { orEarlier }) };
}

/** An identifier, which is never cut. */
export function id(value: string | null | undefined): Cell {
  return value === undefined || value === null ? undefined : { text: value, kind: "id" };
}

/** The address or the name of a resource, or an email address. */
export function addressCell(value: string): Cell {
  return { text: value, kind: "address" };
}

/** A sentence, which is wrapped instead of cut where it is in the last column of a table. */
export function sentence(value: string | null | undefined): Cell {
  return value === undefined || value === null ? undefined : { text: value, wraps: true };
}

export function toned(tone: Tone, value: string): Cell {
  return { text: value, tone };
}

/** The text of a cell, without regard to where it is shown. */
export function cellText(cell: Cell): string {
  return String((typeof cell === "object" ? cell?.text : cell) ?? "");
}

/** The present parts of one line; undefined if there are none. */
export function joined(
  parts: readonly (string | false | null | undefined)[],
  by = " · ",
): string | undefined {
  return parts.filter(Boolean).join(by) || undefined;
}

/** The text `key = value` for each entry of a map. */
export function entryTexts(map: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return Object.entries(map ?? {}).map(([key, value]) => `${key} = ${valueText(value)}`);
}

/** Any JSON value on one line. */
export function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A screen of a list that changes. */
export interface LiveFrame<Item> {
  /** The line above the list. */
  readonly title: string;
  readonly items: readonly Item[];
  readonly view: TableView<readonly Item[]>;
  /** The line below the list. */
  readonly status: string;
  /** The tone of that line. */
  readonly tone?: Tone;
}

/** The output of a command that goes on until it is interrupted. */
export interface LiveOutput {
  /** Whether a person sees frames; otherwise a program reads items. */
  readonly isScreen: boolean;
  /** Whether the items are JSON, so that a program reads what stderr says to others, too. */
  readonly isJson: boolean;
  /** Whether the reader is gone. */
  readonly isClosed: boolean;
  /** Draws a frame in the place of the one before. */
  draw<Item>(frame: LiveFrame<Item>): Promise<void>;
  /** Writes items as they happen: a line of JSON or of tab-separated cells for each. */
  write<Item>(items: readonly Item[], view: TableView<readonly Item[]>): Promise<void>;
  /** Leaves the last frame on the screen. */
  close(): Promise<void>;
}
