import * as z from "zod";

/**
 * An object of the service: unknown fields pass. Typed by its known fields only, so that a column
 * or a field that does not exist is a compile error.
 */
export function open<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape>;
}

/** A field that may be missing; services written in Go also send `null` there. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish();
}

/** A string with values known today: completion in the editor, and any other value passes. */
export function known<const Value extends string>(
  _values: readonly Value[],
): z.ZodType<Value | (string & {})> {
  return z.string();
}

/** A map from names that the service or the builder chooses. */
export function map<Schema extends z.ZodType>(schema: Schema) {
  return z.record(z.string(), schema);
}

/** An object whose contents the spec does not show. */
export const anything = map(z.unknown());

/** RFC 3339 by the spec. Not checked: a time in another format is shown as it came. */
export const time = z.string();

/** What a further operation needs of a record: without it the record cannot be named. */
export const identifier = z.string().min(1);
