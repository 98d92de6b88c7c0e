import { asList } from "../values/basics.ts";
import { isCommandPath } from "../values/command-paths.ts";
import { capitalised } from "../values/counted.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  type Block,
  joined,
  nextBlock,
  type Page,
  type PageRow,
  row,
  rows,
  rowsOfItems,
  table,
  type ViewRows,
} from "../view/view.ts";
import { EVENT, type Explanation, type FieldExplanation, specificationText } from "./explain.ts";

/** The records, or one record or field, as a page. */
export function explanationPage(result: Explanation | readonly Explanation[]): Page {
  return "path" in result ? fieldPage(result) : recordsPage(result);
}

function recordsPage(records: readonly Explanation[]): Page {
  const isWhole = records.some(({ fields }) => fields !== undefined);
  const lines = rows(records.map(({ path, meaning }): PageRow => [path, meaning]));
  return {
    title: "Records of the service",
    blocks: isWhole
      ? records.flatMap((record): Block[] => [
          { kind: "text", text: `${record.path}: ${record.meaning}`, tone: "strong" },
          ...fieldBlocks(record),
        ])
      : [lines, nextBlock(suggest("explain", ["installation"]), suggest("notify events"))],
  };
}

function fieldPage(field: Explanation): Page {
  const { path, type, required, values, meaning, source, commands } = field;
  const example = exampleOf(field);
  return {
    title: path,
    aside: type,
    blocks: [
      { kind: "text", text: `${capitalised(meaning)}.` },
      rows([
        ...row("Values", values && `${values.join(", ")}; the service may send others`),
        ...row(
          "Present",
          required === undefined ? undefined : required ? "always" : "may be missing",
        ),
        ...row("Source", specificationText(source)),
        ...row("Shown by", commands),
      ]),
      ...fieldBlocks(field),
      ...(example ? [example] : []),
    ],
  };
}

/** A block of rows for each object, with the fields directly inside it. */
function fieldBlocks({ path, fields = [] }: Explanation): Block[] {
  const groups = Map.groupBy(fields, (field) => parentOf(field.path));
  return [...groups].map(([parent, group]) =>
    rows(
      group.map((field): PageRow => [nameOf(field.path), fieldText(field)]),
      parent === path || `${path}.*` === parent ? "Fields" : parent.slice(path.length + 1),
    ),
  );
}

function fieldText({ type, values, meaning }: FieldExplanation): string {
  return joined([type, meaning, values?.join(", ")]) ?? "";
}

/**
 * The command that prints this field of each record alone; of an event, the one that says who gets
 * it.
 */
function exampleOf({ path, type, commands }: Explanation): Block | undefined {
  if (type === EVENT) return nextBlock(suggest("notify graph", [path]));
  const list = commands.find((line) => line.endsWith(" list"))?.slice("amp ".length);
  const inside = path.split(".").slice(1);
  const selected = inside.slice(0, inside.includes("*") ? inside.indexOf("*") : undefined);
  if (list === undefined || !isCommandPath(list) || selected.length === 0) return undefined;
  return {
    kind: "command",
    heading: "Print only this field",
    lines: [suggest(list, [], { json: true, fields: selected.join(".") })],
  };
}

/** The rows of a result for a program: itself, and the fields inside it. */
export function explanationRows(result: Explanation | readonly Explanation[]): ViewRows {
  const items = explained(result);
  const view = table<FieldExplanation>(["field", "fields"], COLUMNS, { id: idOf });
  return { ...rowsOfItems(items, view), isWhole: true };
}

const COLUMNS = {
  Path: "path",
  Type: "type",
  Meaning: "meaning",
  Values: ({ values }: FieldExplanation) => values?.join(", "),
  Source: ({ source }: FieldExplanation) => specificationText(source).split(";")[0],
} as const;

const idOf = ({ path }: FieldExplanation) => path;

/** The paths of a result. */
export function explanationIds(result: Explanation | readonly Explanation[]): string[] {
  return explained(result).map(idOf);
}

function explained(result: Explanation | readonly Explanation[]): FieldExplanation[] {
  return asList(result).flatMap((one: Explanation) => [one, ...(one.fields ?? [])]);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("."));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
