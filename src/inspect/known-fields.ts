import { RECORD_FIELDS } from "../api/operations/record-fields.ts";
import { UsageError } from "../errors.ts";
import { nearest } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { type ExplainedField, explainedRecords, fieldAt } from "./explained-records.ts";

/** A path as it was typed in an option. */
export interface TypedPath {
  readonly name: string;
  /** The option with its value, for example `--filter connection.status=working`. */
  readonly typed: string;
}

/**
 * The description of a field of a record; undefined where it has none.
 * @param declared the fields of a command's result, by which its record is known
 */
export function describedField(
  declared: readonly string[],
  name: string,
): ExplainedField | undefined {
  const record = recordOf(declared);
  return record && fieldAt([record], `${record.path}.${name}`);
}

/**
 * Refuses a path that no item has, where amp knows all fields of the record that it leads into: it is
 * mistyped, and an empty list would be taken for an answer. In a map, and in an object whose contents
 * differ from case to case, any name may be right.
 * @throws {UsageError} with the fields that the record has
 */
export function assertDescribed(declared: readonly string[], { name, typed }: TypedPath): void {
  const steps = name.split(".");
  const described = (count: number) => describedField(declared, steps.slice(0, count).join("."));
  const count = steps.findLastIndex((_, at) => described(at + 1) !== undefined) + 1;
  const parent = described(count);
  if (parent === undefined || count === steps.length || isOpen(parent)) return;
  const path = steps.slice(0, count).join(".");
  const known = parent.fields.map((field) => field.path.slice(field.path.lastIndexOf(".") + 1));
  const near = nearest(steps[count] ?? "", known);
  const meant = [path, near, ...steps.slice(count + 1)].join(".");
  throw new UsageError(`${typed}: unknown field ${name}`, {
    remedy: [
      ...(near === undefined ? [] : [`Did you mean ${meant}?`]),
      `${path} has ${known.length === 0 ? "no fields" : `the fields ${known.join(", ")}`}.`,
      ...(typed.startsWith("--sort-by") ? [] : [`If the name is right, quote it: '"${name}"'.`]),
    ].join(" "),
    suggestion: suggest("explain", [parent.path]),
  });
}

/** Whether a field may have fields inside it that nobody describes. */
function isOpen({ type, fields }: ExplainedField): boolean {
  return type.includes("map of ") || (/object|any/u.test(type) && fields.length === 0);
}

function recordOf(declared: readonly string[]): ExplainedField | undefined {
  return explainedRecords().find(({ record }) =>
    RECORD_FIELDS[record].every((field, at) => declared[at] === field),
  );
}
