import type * as z from "zod/mini";
import { type FieldSource, factsOf } from "./shape.ts";

/** The schema of a record. */
export type RecordSchema = z.ZodMiniType;

/** A field of a record, with those inside it. */
export interface RecordField {
  /** The path in the record, as `--fields` reads it; `*` is any name of a map. */
  readonly path: string;
  /** The type in words: `string`, `date-time`, `list of object`. */
  readonly type: string;
  /** Whether the specification says that it is always present. */
  readonly required: boolean;
  /** The known values; the service may send others. */
  readonly values?: readonly string[];
  readonly meaning: string;
  readonly source: FieldSource | "";
  readonly fields: readonly RecordField[];
}

/** The parts of a schema's definition that a reader of its fields needs. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, RecordSchema>>;
  readonly innerType?: RecordSchema;
  readonly element?: RecordSchema;
  readonly valueType?: RecordSchema;
}

/** A record as a field of its own, at an empty path: read from its schema alone. */
export function fieldTree(
  schema: RecordSchema,
  path = "",
  inherited: RecordField["source"] = "",
): RecordField {
  const { description = "", source = inherited } = factsOf(schema);
  const bare = bareOf(schema);
  const { examples } = factsOf(bare);
  return {
    path,
    type: typeText(bare),
    required: bare === schema,
    ...(examples && { values: examples }),
    meaning: description,
    source,
    fields: fieldsIn(bare, path, source),
  };
}

/** The fields inside an object, a list of objects, or a map of them. */
function fieldsIn(
  schema: RecordSchema,
  path: string,
  source: RecordField["source"],
): RecordField[] {
  const { shape, element, valueType } = definitionOf(schema);
  const inner = element ?? valueType;
  if (inner !== undefined) {
    // A list is read through, as `--fields` does; a map has names of its own.
    return fieldsIn(bareOf(inner), valueType === undefined ? path : joinedPath(path, "*"), source);
  }
  return Object.entries(shape ?? {}).map(([name, field]) =>
    fieldTree(field, joinedPath(path, name), source),
  );
}

/** The schema without the marks that it may be missing. */
function bareOf(schema: RecordSchema): RecordSchema {
  const { innerType } = definitionOf(schema);
  return innerType === undefined ? schema : bareOf(innerType);
}

function typeText(schema: RecordSchema): string {
  const { type, element, valueType } = definitionOf(schema);
  const { kind } = factsOf(schema);
  if (kind !== undefined) return kind;
  if (element !== undefined) return `list of ${typeText(bareOf(element))}`;
  if (valueType === undefined) return WORDS[type] ?? type;
  const inner = typeText(bareOf(valueType));
  return inner === "any" ? "object" : `map of ${inner}`;
}

/** The words for types that zod names otherwise. */
const WORDS: Readonly<Record<string, string>> = { number: "integer", unknown: "any" };

function definitionOf(schema: RecordSchema): Definition {
  return schema._zod.def as Definition;
}

function joinedPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}
