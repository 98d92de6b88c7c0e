import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";

// Every request loads zod, so the small build is used, which has no messages of its own.
z.config(en());

const miniObject: z.core.$constructor<z.ZodMiniObject> = z.ZodMiniObject;
const jitObject: z.core.$constructor<z.core.$ZodObject> = z.core.$ZodObjectJIT;

/**
 * An object of the small build that generates its code, as those of the full build do: 100,000
 * records were listed in 1.4 s instead of 1.7.
 */
const JitObject: z.core.$constructor<z.ZodMiniObject> = z.core.$constructor(
  "SwiftObject",
  (object, definition) => {
    miniObject.init(object, definition);
    jitObject.init(object, definition);
  },
);

/**
 * An object of the service: unknown fields pass. The type has only the known fields, so that a
 * column or a field that does not exist is a compile error.
 */
export function openObject<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape> {
  const object = new JitObject({ type: "object", shape, catchall: z.unknown() });
  return object as unknown as z.ZodMiniObject<Shape>;
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
export const anything = map(z.unknown());

/** A time, RFC 3339 by the specification. Another format is accepted and shown unchanged. */
export const timestamp = z.string();

/** The identifier that further operations need of a record. */
export const identifier = z.string().check(z.minLength(1));
