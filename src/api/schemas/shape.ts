import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";

// Every request loads zod, so the small build is used, which has no messages of its own.
z.config(en());

/**
 * An object of the service: unknown fields pass. The type has only the known fields, so that a
 * column or a field that does not exist is a compile error.
 */
export function openObject<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape> {
  return z.catchall(z.object(shape), z.unknown()) as z.ZodMiniObject<Shape>;
}

/** A field that may be missing; services written in Go also send `null` there. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.nullish(schema);
}

/** A string with known values: editors complete them, and any other value passes. */
export function openEnum<const Value extends string>(
  _values: readonly Value[],
): z.ZodMiniType<Value | (string & {})> {
  return z.string();
}

/** A map from names that the service or the builder chooses. */
export function map<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.record(z.string(), schema);
}

/** An object whose contents the specification does not show. */
export const anyObject = map(z.unknown());

/** A time, RFC 3339 by the specification. Another format is accepted and shown unchanged. */
export const timestamp = z.string();

/** The identifier that further operations need of a record. */
export const identifier = z.string().check(z.minLength(1));
