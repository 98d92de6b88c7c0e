import { EVENT_TYPES, eventType } from "../api/catalogue/events.ts";
import type { Explanation, FieldExplanation } from "../documents/inspect.ts";
import { NotFoundError } from "../errors.ts";
import { type Asker, findByIdOrName, type Lookup, noMatch } from "../questions/find.ts";
import { asList } from "../values/basics.ts";
import { isCommandPath } from "../values/command-paths.ts";
import { capitalised } from "../values/counted.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { isSameColumn } from "../view/list-names.ts";
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
import { inspectErrors } from "./errors.ts";
import { type ExplainedField, explainedRecords, fieldAt, withInner } from "./explained-records.ts";
import { CAUSE_COLUMNS } from "./installations.ts";

interface CommandFields {
  readonly path: readonly string[];
  readonly fields?: readonly string[];
}

/** All records; with `recursive`, each with all of its fields. */
export function explainRecords(
  commands: readonly CommandFields[],
  { recursive }: { readonly recursive: boolean },
): Explanation[] {
  return explainedRecords().map((record) => {
    const { fields, ...facts } = explanationOf(record, commands, recursive);
    return recursive ? { ...facts, fields: fields ?? [] } : facts;
  });
}

/**
 * The record, field or event type that a text names: by its path, or by the end or a part of one.
 * @throws {NotFoundError} with the nearest paths
 * @throws {ConflictError} if several fields match, without an interactive terminal
 */
export async function explainPath(
  wanted: string,
  commands: readonly CommandFields[],
  { recursive, asker }: { readonly recursive: boolean; readonly asker: Asker },
): Promise<Explanation> {
  const known = explainedEvent(wanted) ?? explainedColumn(wanted);
  if (known !== undefined) return known;
  const records = explainedRecords();
  const exact = fieldAt(records, wanted);
  if (exact !== undefined) return explanationOf(exact, commands, recursive);
  refuseInsideUndescribed(records, wanted);
  const found = await fieldLike(wanted, withoutRepeated(records.flatMap(withInner)), asker);
  return explanationOf(found, commands, recursive);
}

/** @throws {NotFoundError} with the nearest fields and event types */
async function fieldLike(
  wanted: string,
  fields: readonly ExplainedField[],
  asker: Asker,
): Promise<ExplainedField> {
  try {
    return await findByIdOrName(fields, wanted, LOOKUP, asker);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const events = EVENT_TYPES.map((name) => ({ path: name }));
    const missed = { ...LOOKUP, noun: "field or event type" };
    // Whoever typed the start of an event type meant one of these.
    const begun = events.filter(({ path }) => path.startsWith(`${wanted.toLowerCase()}.`));
    throw noMatch<Named>(
      [...fields, ...events],
      wanted,
      begun.length === 0
        ? missed
        : {
            ...missed,
            where: `Event types: ${begun.map(({ path }) => path).join(", ")}.`,
            list: suggest("explain", [begun[0]?.path ?? ""]),
          },
    );
  }
}

const EVENT = "event type";

function explainedEvent(name: string): Explanation | undefined {
  const event = eventType(name.toLowerCase());
  if (event === undefined) return undefined;
  return {
    path: name.toLowerCase(),
    type: EVENT,
    meaning: `fires when ${[event.fires, event.more].filter(Boolean).join(", ")}`,
    source: event.source === "spec" ? "spec 6" : event.source,
    commands: ["amp notify events"],
    fields: [],
  };
}

const COLUMN = "column";

/** The columns that no record of the service has, because amp finds out what they show. */
const OWN_COLUMNS: Readonly<Record<(typeof CAUSE_COLUMNS)[number], string>> = {
  Cause:
    "why an installation fails, in the words of the service: the error in the log of its newest failed operation, or in the result of one",
  "Failing since":
    "when an installation began to fail: the time of its first failed operation since one succeeded; empty if it is not known",
};

function explainedColumn(name: string): Explanation | undefined {
  const column = CAUSE_COLUMNS.find((one) => isSameColumn(one, name));
  if (column === undefined) return undefined;
  return {
    path: column.toLowerCase().replaceAll(" ", "-"),
    type: COLUMN,
    meaning: OWN_COLUMNS[column],
    source: "amp",
    commands: ["amp installations list", "amp installations summary"],
    fields: [],
  };
}

/**
 * Fields without those that another repeats, as the connection inside an installation does a
 * connection: a word that finds both finds one.
 */
function withoutRepeated(fields: readonly ExplainedField[]): ExplainedField[] {
  const depth = ({ path }: ExplainedField) => path.split(".").length;
  const groups = Map.groupBy(fields, ({ path, type, values, meaning }) =>
    JSON.stringify([path.split(".").at(-1), type, values, meaning]),
  );
  return [...groups.values()].flatMap(
    (same) => same.toSorted((one, other) => depth(one) - depth(other))[0] ?? [],
  );
}

/** Where a field is specified, in words. */
function specificationText(source: string): string {
  if (source === "amp") return "amp, from operations and their logs; not a field of the service";
  const [, part] = source.split("spec ");
  return part === undefined
    ? "live platform; not in the API specification, so another service may not have it"
    : `API specification, part ${part}`;
}

/** The words of pages and lists for fields that are named otherwise. */
const COLUMN_WORDS: Readonly<Record<string, readonly string[]>> = {
  "installation.healthStatus": ["health"],
  "installation.group": ["customer"],
  "installation.lastOperationStatus": ["last-op", "last op", "last operation"],
  "installation.config.content.read.objects.*.selectedFields": ["not selected"],
};

/** The names that are found by words: a field, or for the nearest name of a miss an event type. */
type Named = Pick<ExplainedField, "path"> & Partial<ExplainedField>;

const LOOKUP = {
  noun: "field",
  argument: "<field>",
  list: suggest("explain"),
  again: (path) => suggest("explain", [path]),
  ids: ({ path }) => [path],
  idWord: "names",
  // Words of a screen are found, too: a value, or the column of a list.
  names: ({ path, values = [] }) => [
    path,
    path.slice(path.indexOf(".") + 1),
    path.split(".").at(-1),
    ...values,
    ...(COLUMN_WORDS[path] ?? []),
  ],
  describe: ({ path, type, meaning }) => ({ id: path, type, meaning }),
} satisfies Lookup<Named>;

/** @throws {NotFoundError} for a path inside an object whose contents are not described */
function refuseInsideUndescribed(records: readonly ExplainedField[], wanted: string): void {
  for (let end = wanted.lastIndexOf("."); end > 0; end = wanted.lastIndexOf(".", end - 1)) {
    const parent = fieldAt(records, wanted.slice(0, end));
    if (parent?.type !== "object" || parent.fields.length > 0) continue;
    throw inspectErrors.field_not_found(wanted, parent.path);
  }
}

function explanationOf(
  field: ExplainedField,
  commands: readonly CommandFields[],
  recursive: boolean,
): Explanation {
  const inner = recursive ? withInner(field).slice(1) : field.fields;
  return {
    ...factsOf(field),
    commands: showing(field, commands),
    fields: inner.map(factsOf),
  };
}

function factsOf({ path, type, required, values, meaning, source }: ExplainedField) {
  return {
    path,
    type,
    ...(path.includes(".") ? { required } : {}),
    ...(values && { values }),
    meaning,
    source,
  };
}

/** The commands whose result has the fields of a record first, in their order. */
function showing({ record }: ExplainedField, commands: readonly CommandFields[]): string[] {
  const own = RESULT_FIELDS[record];
  const isShown = ({ fields = [] }: CommandFields) => own.every((name, at) => fields[at] === name);
  return commands.filter(isShown).map(({ path }) => `amp ${path.join(" ")}`);
}

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
  const groups = Map.groupBy(fields, ({ path }) => path.slice(0, path.lastIndexOf(".")));
  return [...groups].map(([parent, group]) =>
    rows(
      group.map(
        ({ path, type, values, meaning }): PageRow => [
          path.slice(path.lastIndexOf(".") + 1),
          joined([type, meaning, values?.join(", ")]),
        ],
      ),
      parent === path || `${path}.*` === parent ? "Fields" : parent.slice(path.length + 1),
    ),
  );
}

/** The command that prints this field of each record; of an event, one that says who gets it. */
function exampleOf({ path, type, commands }: Explanation): Block | undefined {
  if (type === EVENT) return nextBlock(suggest("notify graph", [path]));
  if (type === COLUMN) {
    const filter = "health=unhealthy";
    return nextBlock(suggest("installations list", [], { filter, sortBy: path }));
  }
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
