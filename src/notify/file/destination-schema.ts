import * as z from "zod/mini";
import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationField,
  destinationType,
} from "../../api/catalogue/destination-types.ts";
import { quoted } from "./issues.ts";
import {
  described,
  earlierName,
  knownOr,
  mappingSchema,
  mustBe,
  textSchema,
} from "./schema-parts.ts";

const NEW = "{ type: webhook, metadata: { url: https://… } }";

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
      ["type", `${NEW}, or { id: … } for an existing destination`],
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

/** The schema of one destination of a routing file. */
export const destinationSchema = described(
  z.union(
    [existingDestination, newDestination],
    mustBe("a mapping", ["", `${NEW}, or { id: … } for an existing destination`]),
  ),
  "A destination: an existing one by its ID, or a new one by its type.",
);

/** The keys that a destination may have. */
export const DESTINATION_KEYS: readonly string[] = [
  ...Object.keys(existingDestination.shape),
  ...Object.keys(newDestination.shape),
];

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
