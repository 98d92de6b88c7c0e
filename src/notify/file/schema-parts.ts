import * as z from "zod/mini";
import { EVENT_TYPES, EVENTS } from "../../api/catalogue/events.ts";

/** The words for a part in messages; the name is empty where the part's key suffices. */
type Words = readonly [name: string, example: string];

/** The message for a part of another kind, or for a required one that is absent. */
export function mustBe(kind: string, [name, example]: Words) {
  return {
    error: ({ code, input }: { readonly code: string; readonly input?: unknown }) => {
      if (code === "invalid_key") return "a name must not be empty";
      const detail =
        input === undefined
          ? "is missing"
          : input === null
            ? "must not be empty"
            : `must be ${kind}, not ${kindOf(input)}${adviceFor(input)}`;
      return `${name} ${detail}; for example: ${example}`.trim();
    },
  };
}

/** A list whose dashes have no space after them is one text for YAML. */
const DASH = /^-[^\s-]/u;

function adviceFor(input: unknown): string {
  const isDashed = typeof input === "string" && DASH.test(input);
  return isDashed ? ' (write "- " with a space before each of its values)' : "";
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "a mapping" : "a single value";
}

/** The schema with a description, and keywords of JSON Schema, for editors. */
export function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  keywords: Readonly<Record<string, unknown>> = {},
): Schema {
  z.globalRegistry.add(schema, { description, ...keywords });
  return schema;
}

/**
 * A schema of text. An editor reads `0123` or `yes` as a number or a boolean; the reader passes
 * such values as they are written.
 */
export function textSchema(words: Words, description: string) {
  const empty = `${words[0]} must not be empty; for example: ${words[1]}`;
  const schema = z.string(mustBe("a single value", words)).check(z.regex(/\S/, empty));
  return described(schema, description, { type: ["string", "number", "boolean"] });
}

/** A schema of text with known values, which an editor completes. */
export function knownOr(
  known: readonly (readonly [value: string, description: string])[],
  words: Words,
  description: string,
) {
  const values = known.map(([value, says]) => described(z.literal(value), says));
  // Text first: it accepts known values, too, and the reader then tries no other.
  return z.union([textSchema(words, description), ...values], mustBe("a single value", words));
}

/** A schema of a mapping whose keys the user chooses; `topics:` without a value is an empty one. */
export function mappingSchema<Value extends z.ZodMiniType>(
  value: Value,
  words: Words,
  description: string,
  key = z.string(),
) {
  const name = described(key, "Any name.", { not: { const: "__proto__" } });
  return z.nullish(described(z.record(name, value, mustBe("a mapping", words)), description));
}

/** A schema of a list; `events:` without a value is an empty one. */
export function listSchema<Item extends z.ZodMiniType>(
  item: Item,
  words: Words,
  description: string,
) {
  return z.nullish(described(z.array(item, mustBe("a list", words)), description));
}

/** A list of event types, or of patterns of them. */
export function eventList(key: string, example: string, description: string) {
  const another = "Another event type, all (every known one), or a pattern such as connection.*.";
  const known = EVENT_TYPES.map((name) => [name, EVENTS[name].fires] as const);
  return listSchema(
    knownOr(known, ["an event type", example], another),
    [key, example],
    description,
  );
}

/** The earlier name of a resource that is to be renamed. */
export function earlierName(kind: string) {
  return z.optional(
    textSchema(
      ["renamed-from", "renamed-from: old-name"],
      `Earlier name of this ${kind}: apply renames it, in place of deleting and creating it. Remove the line afterwards.`,
    ),
  );
}
