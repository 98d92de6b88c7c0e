import { fieldTree, type RecordField, type RecordSchema } from "../api/schemas/field-tree.ts";
import { installation, listedConnection } from "../api/schemas/installation.ts";
import { destination, destinationRoute, eventRoute, topic } from "../api/schemas/notification.ts";
import { backfillProgress, logEntry, operation } from "../api/schemas/operation.ts";
import { integration, invite, project, providerApp } from "../api/schemas/project.ts";
import { provider } from "../api/schemas/provider.ts";
import { kebabCase } from "../settings.ts";
import { nearest } from "../values/nearest.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import type { AbsentPath } from "../view/selection.ts";
import { inspectErrors } from "./errors.ts";

/** The schema of each record of the service. */
export const RECORD_SCHEMAS = {
  project,
  integration,
  providerApp,
  provider,
  installation,
  operation,
  logEntry,
  backfillProgress,
  connection: listedConnection,
  invite,
  destination,
  topic,
  eventRoute,
  destinationRoute,
} as const satisfies Readonly<Record<string, RecordSchema>>;

type RecordKey = keyof typeof RECORD_SCHEMAS;

/** The words for records in commands, where they are not the record's own name. */
const OTHER_NAMES: Readonly<Record<string, RecordKey>> = {
  app: "providerApp",
  log: "logEntry",
  progress: "backfillProgress",
};

const RECORD_KEYS = Object.keys(RECORD_SCHEMAS) as RecordKey[];

/** A field of a record of the service; its path begins with the name of the record. */
export interface ExplainedField extends RecordField {
  readonly record: RecordKey;
  readonly fields: readonly ExplainedField[];
}

/** All records, in the order of `amp --help`, each with its fields. */
export function explainedRecords(): ExplainedField[] {
  return RECORD_KEYS.map((record) => named(fieldTree(RECORD_SCHEMAS[record]), record));
}

function named(field: RecordField, record: RecordKey): ExplainedField {
  const path = [kebabCase(record), field.path].filter(Boolean).join(".");
  return { ...field, path, record, fields: field.fields.map((one) => named(one, record)) };
}

/** A field and all fields inside it, each before its own. */
export function withInner(field: ExplainedField): ExplainedField[] {
  return [field, ...field.fields.flatMap(withInner)];
}

/**
 * The field at a path, if every step of it is one: names in any case, a record also in the plural,
 * places in a list left out, any name where a map has names of its own.
 */
export function fieldAt(
  records: readonly ExplainedField[],
  path: string,
): ExplainedField | undefined {
  const steps = path
    .replaceAll(/\[[^\]]*\]/gu, "")
    .split(".")
    .filter((step) => step !== "" && !/^\d+$/u.test(step));
  const [first = "", ...rest] = steps;
  const record = recordOf(first);
  let found = records.find((one) => one.record === record);
  for (const step of rest) {
    const fields: readonly ExplainedField[] = found?.fields ?? [];
    found = fields.find((one) => isStep(one, step)) ?? entryOf(found);
  }
  return found;
}

/** The record that a word means: `Installations`, `event routes`, `app`. */
function recordOf(word: string): RecordKey | undefined {
  const wanted = plain(word);
  const names = [
    ...RECORD_KEYS.map((key) => [plain(key), key] as const),
    ...Object.entries(OTHER_NAMES),
  ];
  return names.find(([name]) => wanted === name || wanted === `${name}s`)?.[1];
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
}

function isStep({ path }: ExplainedField, step: string): boolean {
  return path.slice(path.lastIndexOf(".") + 1).toLowerCase() === step.toLowerCase();
}

/** The schema of the values of a map. */
function entryOf(field: ExplainedField | undefined): ExplainedField | undefined {
  if (!field?.type.startsWith(MAP)) return undefined;
  return { ...field, type: field.type.slice(MAP.length), path: `${field.path}.*`, required: false };
}

const MAP = "map of ";

/**
 * The description of a field of a record; undefined where it has none.
 * @param declared the fields of a command's result, by which its record is known
 */
export function describedField(
  declared: readonly string[],
  name: string,
): ExplainedField | undefined {
  const record = explainedRecords().find(({ record }) =>
    RESULT_FIELDS[record].every((field, at) => declared[at] === field),
  );
  return record && fieldAt([record], `${record.path}.${name}`);
}

/**
 * Refuses a path that no item has, where amp knows all fields of the record that it leads into: it
 * is mistyped, and an empty list would be taken for an answer. In a map, and in an object whose
 * contents differ from case to case, any name may be right.
 * @throws {UsageError} with the fields that the record has
 */
export function assertDescribed(
  declared: readonly string[],
  { name, option, text }: AbsentPath,
): void {
  const steps = name.split(".");
  const described = (count: number) => describedField(declared, steps.slice(0, count).join("."));
  const count = steps.findLastIndex((_, at) => described(at + 1) !== undefined) + 1;
  const parent = described(count);
  if (parent === undefined || count === steps.length || isOpen(parent)) return;
  const path = steps.slice(0, count).join(".");
  const known = parent.fields.map((field) => field.path.slice(field.path.lastIndexOf(".") + 1));
  const near = nearest(steps[count] ?? "", known);
  const meant = [path, near, ...steps.slice(count + 1)].join(".");
  const remedy = [
    ...(near === undefined ? [] : [`Did you mean ${meant}?`]),
    `${path} has ${known.length === 0 ? "no fields" : `the fields ${known.join(", ")}`}.`,
    ...(option === "--sort-by" ? [] : [`If the name is right, quote it: '"${name}"'.`]),
  ].join(" ");
  throw inspectErrors.filter_field_unknown(`${option} ${text}`, name, remedy, parent.path);
}

/** Whether a field may have fields inside it that nobody describes. */
function isOpen({ type, fields }: ExplainedField): boolean {
  return type.includes("map of ") || (/object|any/u.test(type) && fields.length === 0);
}
