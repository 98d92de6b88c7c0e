import * as z from "zod/mini";
import type { ResourceKind } from "../model/resource.ts";
import { DESTINATION_KEYS, destinationSchema } from "./destination-schema.ts";
import { FORBID_KEYS, OWN_RULES } from "./rule-schema.ts";
import { described, mappingSchema, mustBe, textSchema } from "./schema-parts.ts";
import { ROUTES, TOPIC_KEYS, topicSchema } from "./topic-schema.ts";

/** The only version of the format. */
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
          error: ({ input }) =>
            input === undefined
              ? `version is missing: begin the file with "version: ${FILE_VERSION}"`
              : `version must be ${FILE_VERSION}, the only one that this version of amp supports`,
        }),
        "Version of the format.",
      ),
      name: z.optional(
        textSchema(["name", "name: ops"], "Name of the routing; default: the file name."),
      ),
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
  topic: TOPIC_KEYS,
  forbid: FORBID_KEYS,
  destination: DESTINATION_KEYS,
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
