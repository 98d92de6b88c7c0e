import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";

// The light build of zod, for it is loaded by every request; it has no words of its own.
z.config(en());

const miniObject: z.core.$constructor<z.ZodMiniObject> = z.ZodMiniObject;
const jitObject: z.core.$constructor<z.core.$ZodObject> = z.core.$ZodObjectJIT;

/**
 * An object of the light build that writes code for itself, as those of the full build do: 100,000
 * records were listed in 1.4 s in place of 1.7.
 */
const JitObject: z.core.$constructor<z.ZodMiniObject> = z.core.$constructor(
  "SwiftObject",
  (object, definition) => {
    miniObject.init(object, definition);
    jitObject.init(object, definition);
  },
);

/**
 * An object of the service: unknown fields pass. Typed by its known fields only, so that a column
 * or a field that does not exist is a compile error.
 */
export function openObject<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodMiniObject<Shape> {
  const object = new JitObject({ type: "object", shape, catchall: z.unknown() });
  return object as unknown as z.ZodMiniObject<Shape>;
}

/** A field that may be missing; services written in Go also send `null` there. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.nullish(schema);
}

/** A string with values known today: completion in the editor, and any other value passes. */
export function openEnum<const Value extends string>(
  _values: readonly Value[],
): z.ZodMiniType<Value | (string & {})> {
  return z.string();
}

/** A map from names that the service or the builder chooses. */
export function map<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.record(z.string(), schema);
}

/** An object whose contents the spec does not show. */
export const anything = map(z.unknown());

/** RFC 3339 by the spec. Not checked: a time in another format is shown as it came. */
export const timestamp = z.string();

/** What a further operation needs of a record: without it the record cannot be named. */
export const identifier = z.string().check(z.minLength(1));
