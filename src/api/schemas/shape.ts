import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";

// Every request loads zod, so the small build is used, which has no messages of its own.
z.config(en());

/**
 * The origin of a field: a part of the specification, or the live platform, which has more fields.
 */
export type FieldSource = `spec ${string}` | "platform";

/** The facts that `amp explain` shows of a field, most of them words of JSON Schema. */
export interface FieldFacts {
  /** The meaning, as a sentence without its full stop. */
  readonly description?: string;
  /** The known values of an open set. */
  readonly examples?: readonly string[];
  /** The origin of the field, and of the fields inside it that name none of their own. */
  readonly source?: FieldSource;
  /** The type in words, where the schema accepts more than is sent. */
  readonly kind?: string;
}

/** Adds facts to a schema that no other field shares. */
function noted<Schema extends z.ZodMiniType>(schema: Schema, facts: FieldFacts): Schema {
  z.globalRegistry.add(schema, { ...factsOf(schema), ...facts });
  return schema;
}

/** The facts of a field or an object. */
export function factsOf(schema: z.ZodMiniType): FieldFacts {
  return (z.globalRegistry.get(schema) ?? {}) as FieldFacts;
}

/**
 * An object of the service: unknown fields pass. The type has only the known fields, so that a
 * column or a field that does not exist is a compile error.
 */
export function openObject<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape> {
  return z.catchall(z.object(shape), z.unknown()) as z.ZodMiniObject<Shape>;
}

/**
 * A field that is always sent, with its meaning. The schema is copied, because other fields may
 * share it.
 */
export function field<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  source?: FieldSource,
): Schema {
  const copy = noted(schema.clone() as Schema, factsOf(schema));
  return noted(copy, { description, ...(source && { source }) });
}

/**
 * A field that may be missing, with its meaning; services written in Go also send `null` there.
 * @param source the origin, where it is not that of the object's other fields
 */
export function optional<Schema extends z.ZodMiniType>(
  schema: Schema,
  description?: string,
  source?: FieldSource,
) {
  const field = z.nullish(schema);
  if (description === undefined) return field;
  return noted(field, { description, ...(source && { source }) });
}

/**
 * A field of the live platform that amp passes on, whatever it holds.
 * @param kind the type in words that the platform documents
 */
export function passedOn(kind: string, description: string) {
  return optional(noted(z.unknown(), { kind }), description, "platform");
}

/** A string with known values: editors complete them, and any other value passes. */
export function openEnum<const Value extends string>(
  values: readonly Value[],
): z.ZodMiniType<Value | (string & {})> {
  return noted(z.string(), { examples: values });
}

/** A map from names that the service or the builder chooses. */
export function map<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.record(z.string(), schema);
}

/** An object whose contents the specification does not show. */
export const anyObject = map(z.unknown());

/** A time, RFC 3339 by the specification. Another format is accepted and shown unchanged. */
export const timestamp = noted(z.string(), { kind: "date-time" });

/** The identifier that further operations need of a record. */
export const identifier = z.string().check(z.minLength(1));
