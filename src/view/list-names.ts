import type { UsageError } from "../errors.ts";
import { inputErrors } from "../values/errors.ts";
import type { Filter } from "../values/filter.ts";
import { valueAt } from "../values/json.ts";
import { byNearness, nearest } from "../values/nearest.ts";
import { originalOf } from "../values/odd-fields.ts";
import type { Cell, TableView } from "./view.ts";

/** A list whose items are filtered, sorted or shown by name. */
export interface NamedList {
  readonly view: Pick<TableView<readonly never[]>, "columns" | "growing">;
  /** The declared fields of an item; undefined: any may be there. */
  readonly fields: readonly string[] | undefined;
}

/** The way to the value of a name. */
export interface ListName {
  readonly name: string;
  /** The values of an item, one for each way in which it is shown; undefined where it has none. */
  readonly values: (item: unknown) => unknown;
  /** The value of an item as programs get it, for sorting. */
  readonly value: (item: unknown) => unknown;
  /** Whether it is a field whose absence can be noticed, and no column. */
  readonly isField: boolean;
}

/**
 * Finds what a name stands for: a column, in any case and without its spaces, or the path of a
 * field. Where both have the name, either value counts; an object is never meant by a column's
 * name.
 * A quoted name is a field, even one that is not declared.
 * @throws {UsageError} for an unknown name, with all that exist, the nearest first
 */
export function findName(
  { view, fields }: NamedList,
  { name, isQuotedName: isQuoted = false }: Pick<Filter, "name"> & Partial<Filter>,
  option: string,
): ListName {
  const field = (item: unknown) => valueAt(originalOf(item), name);
  const read = isQuoted ? undefined : columnOf(view, name);
  if (read === undefined) {
    const first = name.split(".")[0] ?? "";
    const isKnown = isQuoted || !fields || fields.includes(name) || fields.includes(first);
    if (!isKnown) throw unknownName(name, option, { view, fields });
    return { name, values: field, value: field, isField: true };
  }
  const fieldValue = (item: unknown) => {
    const value = field(item);
    return typeof value === "object" ? undefined : value;
  };
  return {
    name,
    values: (item) => {
      const own = fieldValue(item);
      return [...(own === undefined ? [] : [own]), ...cellValues(read(item))];
    },
    value: (item) => fieldValue(item) ?? cellValue(read(item)),
    isField: false,
  };
}

/** Reads the cell of a column by its name; undefined where no column has it. */
export function columnOf(
  { columns }: NamedList["view"],
  name: string,
): ((item: unknown) => Cell) | undefined {
  const wanted = plain(name);
  const found = Object.entries(columns).find(([label]) => plain(label) === wanted);
  if (found === undefined) return undefined;
  const [, column] = found;
  // A view is tied to a list of its own items: the compiler cannot see that `item` is one.
  if (typeof column === "function") return (item) => column(item as never);
  return (item) => (item as Readonly<Record<string, Cell>> | null)?.[column];
}

/** Whether two names mean one column. */
export function isSameColumn(name: string, other: string): boolean {
  return plain(name) === plain(other);
}

/** `Last op`, `last-op` and `lastOp` are one column. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/gu, "");
}

/** The value of a cell for programs. */
export function cellValue(cell: Cell): unknown {
  if (typeof cell !== "object" || cell === null) return cell ?? undefined;
  return cell.raw ?? cell.text;
}

/** The values of a cell: the one for programs, and the one that a terminal shows. */
function cellValues(cell: Cell): unknown[] {
  const value = cellValue(cell);
  const isOther = typeof cell === "object" && cell !== null && value !== "" && cell.text !== value;
  const also = typeof cell === "object" && cell?.also ? [cell.also] : [];
  return [value, ...(isOther ? [cell.text] : []), ...also];
}

/** Filters that a list accepts: one by its first column that has no time, one by its first time. */
export function exampleFilters({ view, fields = [] }: NamedList): readonly string[] {
  const isTime = (name: string) => /^(?:time|since|started)$|Time$/u.test(name);
  const columns = columnNames(view);
  const text = columns.find((name) => !isTime(name));
  const time = [...fields, ...columns].find(isTime);
  return [...(text ? [`${text}=value`] : []), ...(time ? [`${time}>3d`] : [])];
}

/** The columns as they are typed: `last-op`. */
function columnNames({ columns }: NamedList["view"]): string[] {
  return Object.keys(columns).map((label) => label.toLowerCase().replaceAll(" ", "-"));
}

function unknownName(name: string, option: string, { view, fields = [] }: NamedList): UsageError {
  const columns = columnNames(view);
  const others = columns.filter((one) => !fields.some((field) => isSameColumn(field, one)));
  const known = byNearness(name, [...others, ...fields]);
  const meant = nearest(name, known);
  const what = columns.length > 0 ? "field or column of this list" : "field of the result";
  const guess = meant === undefined ? "" : `Did you mean ${meant}? `;
  return inputErrors.field_unknown(option, name, what, guess, known);
}
