import * as z from "zod/mini";
import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationField,
  destinationType,
} from "../../api/catalogue/destination-types.ts";
import type { ResourceKind } from "../model/resource.ts";
import { quoted } from "./issues.ts";
import {
  described,
  earlierName,
  eventList,
  knownOr,
  listSchema,
  mappingSchema,
  mustBe,
  textSchema,
} from "./schema-parts.ts";

const FORBID_EXAMPLE = "{ event: read.*, destination: chat }";

const forbidden = described(
  z
    .strictObject(
      {
        event: z.optional(textSchema(["event", "event: read.*"], "Event type, or a pattern.")),
        topic: z.optional(
          textSchema(["topic", "topic: internal-*"], "Name of a topic, or a pattern."),
        ),
        destination: z.optional(
          textSchema(["destination", "destination: chat"], "Name of a destination, or a pattern."),
        ),
      },
      mustBe("a mapping", ["", FORBID_EXAMPLE]),
    )
    .check(
      z.refine((pair) => Object.keys(pair).length >= 2, {
        error: `needs two of event, topic and destination; for example: ${FORBID_EXAMPLE}`,
      }),
    ),
  "A combination that must not exist, by patterns in which * matches any characters.",
  { minProperties: 2 },
);

/** The parts of the file that say what its routing must and must not do. */
const OWN_RULES = {
  require: eventList(
    "require",
    "[connection.error]",
    "Event types that must reach a destination: plan, apply and check refuse the file otherwise.",
  ),
  forbid: listSchema(
    forbidden,
    ["forbid", `[${FORBID_EXAMPLE}]`],
    "Routes that must not exist: plan, apply and check refuse the file otherwise.",
  ),
} as const;

/** A combination that a routing must not have: all of its patterns fit. Two of them are given. */
export type Forbidden = Readonly<z.output<typeof forbidden>>;

/** The rules that a routing file has for itself. */
export interface OwnRules {
  /** The event types, or patterns of known ones, that must reach a destination. */
  readonly require: readonly string[];
  readonly forbid: readonly Forbidden[];
}

const NEW_FORM = "{ type: webhook, metadata: { url: https://… } }";

/** The forms in which a file names a secret: never its value. */
const SECRET_FORM = "env:NAME or file:PATH";
const SECRET_PATTERN = "^(env:[A-Za-z_][A-Za-z0-9_]*|file:[\\s\\S]+)$";

const existingDestination = z.strictObject({
  id: textSchema(["id", "id: 1f0c…"], "ID of an existing destination."),
});

const newDestination = described(
  z.strictObject({
    type: knownOr(
      DESTINATION_TYPE_NAMES.map((name) => [name, DESTINATION_TYPES[name].summary]),
      ["type", `${NEW_FORM}, or { id: … } for an existing destination`],
      "A destination type that this version of amp does not know.",
    ),
    "renamed-from": earlierName("destination"),
    metadata: mappingSchema(
      z.unknown(),
      ["metadata", "{ url: https://hooks.example.com/amp }"],
      "Settings that the destination type requires.",
    ),
    secrets: mappingSchema(
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

const destinationSchema = described(
  z.union(
    [existingDestination, newDestination],
    mustBe("a mapping", ["", `${NEW_FORM}, or { id: … } for an existing destination`]),
  ),
  "A destination: an existing one by its ID, or a new one by its type.",
);

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

/** The parts of a topic that declare routes. */
const ROUTES = {
  "event-route": eventList(
    "events",
    "[installation.created]",
    "Event types that the topic receives.",
  ),
  "destination-route": listSchema(
    textSchema(["a destination", "[ops]"], "Name of a destination."),
    ["destinations", "[ops]"],
    "Names of destinations in this file that the topic delivers to.",
  ),
};

/** The schema of one topic of a routing file; an empty value is a topic without routes. */
const topicSchema = z.nullable(
  described(
    z.strictObject(
      {
        id: z.optional(
          textSchema(["id", "id: 1f0c…"], "ID of an existing topic; without it, a new one."),
        ),
        "renamed-from": earlierName("topic"),
        events: ROUTES["event-route"],
        destinations: ROUTES["destination-route"],
      },
      mustBe("a mapping", ["", "{ events: [installation.created], destinations: [ops] }"]),
    ),
    "A topic, which connects event types to destinations.",
  ),
);

const FILE_VERSION = 1;

const NAME = z.string().check(z.regex(/\S/));

/** The part of the file that declares the resources of each kind. */
const PARTS = {
  ...ROUTES,
  destination: mappingSchema(
    destinationSchema,
    ["destinations", "ops: { id: 1f0c… }"],
    "Where notifications are delivered, by name.",
    NAME,
  ),
  topic: mappingSchema(
    topicSchema,
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
          error: ({ input }) => {
            if (input === undefined) {
              return `version is missing: begin the file with "version: ${FILE_VERSION}"`;
            }
            return input === `${FILE_VERSION}`
              ? `version must be a number: write version: ${FILE_VERSION}, without quotes`
              : `version must be ${FILE_VERSION}, the only one that this version of amp supports`;
          },
        }),
        "Version of the format.",
      ),
      name: z.optional(textSchema(["name", "name: ops"], "Name of the routing; --prune needs it.")),
      project: z.optional(
        textSchema(["project", "project: acme"], "Project of the routing, by name or ID."),
      ),
      destinations: PARTS.destination,
      topics: PARTS.topic,
      ...OWN_RULES,
      $schema: z.optional(textSchema(["$schema", "$schema: routing.schema.json"], "For editors.")),
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
  topic: Object.keys(topicSchema.def.innerType.shape),
  forbid: Object.keys(forbidden.def.shape),
  destination: [existingDestination, newDestination].flatMap(({ shape }) => Object.keys(shape)),
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
