import { hasField, isJsonObject, placeOf, valueAt } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";

/**
 * Selects these fields of a value, in this order. A dot leads into an object, and through every
 * element of a list; a key that contains dots itself is found too. Missing fields are left out.
 */
export function selectFields(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => selectFields(item, fields));
  if (!isJsonObject(value)) return value;
  const below = new Map<string, string[] | "all">();
  for (const field of fields) {
    const found = placeOf(value, field);
    if (!found) continue;
    const wanted = below.get(found.key) ?? [];
    if (found.rest === undefined) below.set(found.key, "all");
    else if (wanted !== "all") below.set(found.key, [...wanted, found.rest]);
  }
  // fromEntries defines keys; assigning would lose one called __proto__.
  return Object.fromEntries(
    [...below].map(([key, rest]) => [
      key,
      rest === "all" ? value[key] : selectFields(value[key], rest),
    ]),
  );
}

/**
 * Looks for fields that no item has, in batches of items. They cause warnings, not errors: a field
 * may be mistyped, but also optional and absent by chance.
 * @param explained the command that explains the fields
 */
export function createUnknownFields(fields: readonly string[], explained?: SuggestedCommand) {
  let absent = fields;
  let first: readonly unknown[] = [];
  return {
    add(items: readonly unknown[]): void {
      if (absent.length === 0) return;
      if (first.length === 0) first = items;
      absent = absent.filter((field) => !items.some((item) => hasField(item, field)));
    },
    /** A warning for each field; none for an empty list. */
    warnings: () =>
      first.length === 0 ? [] : absent.map((field) => warning(field, first, explained)),
  };
}

/** The words in paths of commands whose result `amp explain` knows. */
export const EXPLAINED_WORDS = [
  "projects",
  "integrations",
  "apps",
  "providers",
  "installations",
  "operations",
  "logs",
  "progress",
  "connections",
  "invites",
  "destinations",
  "topics",
] as const;

/** The command that explains the fields of a command's result. */
export function explaining(path: string): SuggestedCommand | undefined {
  const words: readonly string[] = EXPLAINED_WORDS;
  const record = path.split(" ").findLast((word) => words.includes(word));
  return record === undefined ? undefined : suggest("explain", [record]);
}

function warning(
  field: string,
  items: readonly unknown[],
  explained: SuggestedCommand | undefined,
): string {
  const parent = field.slice(0, Math.max(0, field.lastIndexOf(".")));
  const inside = parent !== "" && items.some((item) => hasField(item, parent));
  const owners = inside ? items.map((item) => valueAt(item, parent)) : items;
  const known = keysOf(owners).map((key) => (inside ? `${parent}.${key}` : key));
  const available =
    known.length > 0 ? `Available: ${known.join(", ")}.` : "The result has no fields.";
  const near = nearest(field, known);
  return [
    `--fields: no item has a field ${JSON.stringify(field)}.`,
    ...(near === undefined ? [] : [`Did you mean ${near}?`]),
    available,
    ...(explained === undefined ? [] : [`To explain them: ${explained.line()}`]),
  ].join(" ");
}

function keysOf(values: readonly unknown[]): string[] {
  const keys = new Set<string>();
  for (const value of values.flat()) {
    if (isJsonObject(value)) for (const key of Object.keys(value)) keys.add(key);
  }
  return [...keys];
}
