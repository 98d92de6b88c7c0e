import { destinationType, type Field } from "../api/destination-types.ts";
import { bodyIssue, isObject } from "./check-body.ts";
import type { Issue } from "./refusal.ts";

type Part = "metadata" | "secrets";

/**
 * What is wrong with the metadata and the secrets of a destination of a known type; one of an
 * unknown type may hold anything. The spec knows webhooks only.
 */
export function destinationFields(
  body: Readonly<Record<string, unknown>>,
  specOnly: boolean,
): readonly Issue[] {
  const { type } = body;
  const known = typeof type === "string" ? destinationType(type) : undefined;
  if (known === undefined || (specOnly && type !== "webhook")) return [];
  return [
    ...checkPart("metadata", known.metadata, body.metadata),
    ...checkPart("secrets", known.secrets, body.secrets ?? {}),
    ...(known.oneOf ?? []).flatMap((names) => checkOneOf(names, body.metadata)),
  ];
}

/** A part that is no object at all is the schema's to complain about. */
function checkPart(part: Part, fields: readonly Field[], values: unknown): readonly Issue[] {
  if (!isObject(values)) return [];
  return fields.flatMap((field) => {
    const value = values[field.name];
    const wrong = value === undefined ? absence(field) : fault(field, value);
    return wrong === undefined ? [] : [bodyIssue(`${part}.${field.name}`, value, wrong)];
  });
}

function absence({ required }: Field): string | undefined {
  return required ? "is required" : undefined;
}

function fault(field: Field, value: unknown): string | undefined {
  if (field.shape === "flag")
    return typeof value === "boolean" ? undefined : "must be true or false";
  if (field.shape === "map") {
    const map = isObject(value) && Object.values(value).every((each) => typeof each === "string");
    return map ? undefined : "must be an object of strings";
  }
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  return field.check?.(value)?.replace(/^It (.*?)\.?$/u, "$1");
}

function checkOneOf(names: readonly string[], metadata: unknown): readonly Issue[] {
  if (!isObject(metadata) || names.some((name) => metadata[name] !== undefined)) return [];
  const [first = ""] = names;
  return [bodyIssue(`metadata.${first}`, null, `one of ${names.join(", ")} is required`)];
}
