import { isJsonObject } from "./json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The place of a path in an object: the key, and the rest of the path below it. */
export interface FieldPlace {
  readonly key: string;
  readonly rest?: string;
}

/**
 * The value at a field. A dot leads into an object, and through every element of a list, which
 * makes a list of values; a key that contains dots itself is found too.
 */
export function valueAt(value: unknown, field: string): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => hasField(item, field)).flatMap((item) => valueAt(item, field));
  }
  const found = isJsonObject(value) && placeOf(value, field);
  if (!found) return undefined;
  const inner = value[found.key];
  return found.rest === undefined ? inner : valueAt(inner, found.rest);
}

/** Whether a value, or an element of a list, has a field. */
export function hasField(value: unknown, field: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasField(item, field));
  return isJsonObject(value) && placeOf(value, field) !== undefined;
}

/** The place of a field in an object: the longest key that leads to it; undefined without one. */
export function placeOf(value: Fields, field: string): FieldPlace | undefined {
  if (Object.hasOwn(value, field)) return { key: field };
  for (let dot = field.lastIndexOf("."); dot > 0; dot = field.lastIndexOf(".", dot - 1)) {
    const key = field.slice(0, dot);
    const rest = field.slice(dot + 1);
    if (Object.hasOwn(value, key) && hasField(value[key], rest)) return { key, rest };
  }
  return undefined;
}
