import * as z from "zod/mini";
import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationField,
  destinationType,
} from "../../api/catalogue/destination-types.ts";
import { EVENT_TYPES, EVENTS } from "../../api/catalogue/events.ts";
import type { ResourceKind } from "../model/resource.ts";
import { quoted } from "./issues.ts";

/** The only version of the format. */
const FILE_VERSION = 1;

const NEW = "{ type: webhook, metadata: { url: https://… } }";

/** The forms in which a file names a secret: never its value. */
const SECRET_FORM = "env:NAME or file:PATH";
const SECRET_PATTERN = "^(env:[A-Za-z_][A-Za-z0-9_]*|file:[\\s\\S]+)$";

/** The words for a part in messages; the name is empty where the part's key suffices. */
type Words = readonly [name: string, example: string];

/** The message for a part of another kind, or for a required one that is absent. */
function mustBe(kind: string, [name, example]: Words) {
  return {
    error: ({ code, input }: { readonly code: string; readonly input?: unknown }) => {
      if (code === "invalid_key") return "a name must not be empty";
      const detail =
        input === undefined
          ? "is missing"
          : input === null
            ? "must not be empty"
            : `must be ${kind}, not ${kindOf(input)}`;
      return `${name} ${detail}; for example: ${example}`.trim();
    },
  };
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "a mapping" : "a single value";
}

function described<Schema extends z.ZodMiniType>(
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
function text(words: Words, description: string) {
  const empty = `${words[0]} must not be empty; for example: ${words[1]}`;
  const schema = z.string(mustBe("a single value", words)).check(z.regex(/\S/, empty));
  return described(schema, description, { type: ["string", "number", "boolean"] });
}

/** A schema of text with known values, which an editor completes. */
function knownOr(
  known: readonly (readonly [value: string, description: string])[],
  words: Words,
  description: string,
) {
  const values = known.map(([value, says]) => described(z.literal(value), says));
  // Text first: it accepts known values, too, and the reader then tries no other.
  return z.union([text(words, description), ...values], mustBe("a single value", words));
}

/** A schema of a mapping whose keys the user chooses; `topics:` without a value is an empty one. */
function mapping<Value extends z.ZodMiniType>(
  value: Value,
  words: Words,
  description: string,
  key = z.string(),
) {
  const name = described(key, "Any name.", { not: { const: "__proto__" } });
  return z.nullish(described(z.record(name, value, mustBe("a mapping", words)), description));
}

function list<Item extends z.ZodMiniType>(item: Item, words: Words, description: string) {
  return z.nullish(described(z.array(item, mustBe("a list", words)), description));
}

/** The parts of a topic that declare routes. */
const ROUTES = {
  "event-route": list(
    knownOr(
      EVENT_TYPES.map((name) => [name, EVENTS[name].fires]),
      ["an event type", "[installation.created]"],
      "Another event type, all (every known one), or a pattern such as connection.*.",
    ),
    ["events", "[installation.created]"],
    "Event types that the topic receives.",
  ),
  "destination-route": list(
    text(["a destination", "[ops]"], "Name of a destination."),
    ["destinations", "[ops]"],
    "Names of destinations in this file that the topic delivers to.",
  ),
};

const topic = z.nullable(
  described(
    z.strictObject(
      {
        id: z.optional(
          text(["id", "id: 1f0c…"], "ID of an existing topic; without it, a new one."),
        ),
        events: ROUTES["event-route"],
        destinations: ROUTES["destination-route"],
      },
      mustBe("a mapping", ["", "{ events: [installation.created], destinations: [ops] }"]),
    ),
    "A topic, which connects event types to destinations.",
  ),
);

const existingDestination = z.strictObject({
  id: text(["id", "id: 1f0c…"], "ID of an existing destination."),
});

const newDestination = described(
  z.strictObject({
    type: knownOr(
      DESTINATION_TYPE_NAMES.map((name) => [name, DESTINATION_TYPES[name].summary]),
      ["type", `${NEW}, or { id: … } for an existing destination`],
      "A destination type that this version of amp does not know.",
    ),
    metadata: mapping(
      z.unknown(),
      ["metadata", "{ url: https://hooks.example.com/amp }"],
      "Settings that the destination type requires.",
    ),
    secrets: mapping(
      described(
        z.string({
          error: ({ path }) => `secret ${quoted(String(path?.at(-1)))}: must be ${SECRET_FORM}`,
        }),
        `Where the secret is read from: ${SECRET_FORM}.`,
        { pattern: SECRET_PATTERN },
      ),
      ["secrets", "{ password: env:NAME }"],
      "Secrets, by the service's field names.",
    ),
  }),
  "A new destination.",
  { allOf: DESTINATION_TYPE_NAMES.map(fieldsOfType) },
);

const NAME = z.string().check(z.regex(/\S/));

/** The part of the file that declares the resources of each kind. */
const PARTS = {
  ...ROUTES,
  destination: mapping(
    described(
      z.union(
        [existingDestination, newDestination],
        mustBe("a mapping", ["", `${NEW}, or { id: … } for an existing destination`]),
      ),
      "A destination: an existing one by its ID, or a new one by its type.",
    ),
    ["destinations", "ops: { id: 1f0c… }"],
    "Where notifications are delivered, by name.",
    NAME,
  ),
  topic: mapping(
    topic,
    ["topics", "lifecycle: { events: [installation.created] }"],
    "Topics, which connect event types to destinations, by name.",
    NAME,
  ),
} satisfies Readonly<Record<ResourceKind, z.ZodMiniType>>;

/** The schema of a routing file: the one description of its form, for reader and editors. */
export const routingFileSchema = described(
  z.strictObject(
    {
      version: described(
        z.literal(FILE_VERSION, {
          error: ({ input }) =>
            input === undefined
              ? `version is missing: begin the file with "version: ${FILE_VERSION}"`
              : `version must be ${FILE_VERSION}, the only one that this version of amp supports`,
        }),
        "Version of the format.",
      ),
      name: z.optional(text(["name", "name: ops"], "Name of the routing; default: the file name.")),
      project: z.optional(
        text(["project", "project: acme"], "Project of the routing, by name or ID."),
      ),
      destinations: PARTS.destination,
      topics: PARTS.topic,
      $schema: z.optional(text(["$schema", "$schema: routing.schema.json"], "For editors.")),
    },
    mustBe("a mapping", ["a routing file", "version: 1"]),
  ),
  "The notification routing that should exist, by name. Order does not matter.",
  { title: "Routing file of amp" },
);

/** A routing file after the check of its form. */
export type RoutingFile = z.output<typeof routingFileSchema>;

/** The keys that each mapping of the file may have. */
export const FILE_KEYS = {
  file: Object.keys(routingFileSchema.shape),
  topic: Object.keys(topic.def.innerType.shape),
  destination: [...Object.keys(existingDestination.shape), ...Object.keys(newDestination.shape)],
} as const;

/** The JSON Schema (2020-12) of a routing file, for editors; the reader checks more than that. */
export function routingJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(routingFileSchema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type !== "nullable") return;
      // A single schema with two types, as people write it: editors then name both in messages.
      const [inner] = jsonSchema.anyOf ?? [];
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, inner, { type: [inner?.type, "null"] });
    },
  });
}

/** The fields of a known type: described and completed, never required. */
function fieldsOfType(name: string) {
  const { metadata = [], secrets = [] } = destinationType(name) ?? {};
  return {
    if: { required: ["type"], properties: { type: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: the name that JSON Schema has for it
    then: { properties: { metadata: fieldSchemas(metadata), secrets: fieldSchemas(secrets) } },
  };
}

function fieldSchemas(fields: readonly DestinationField[]) {
  const schemas = fields.map(({ name, hint, required, example }) => [
    name,
    { description: `${hint}${required ? "" : " (optional)"}`, examples: [example] },
  ]);
  return { properties: Object.fromEntries(schemas) };
}
