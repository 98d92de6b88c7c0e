import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationType,
  destinationType,
  type Field,
} from "../../api/catalogue/destination-types.ts";
import { EVENT_TYPES, EVENTS } from "../../api/catalogue/events.ts";
import { FILE_VERSION } from "./fields.ts";

/** A part of a JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** Text; what YAML takes for a number or a truth value is text there, too. */
const text = (description: string): Schema => ({
  type: ["string", "number", "boolean"],
  minLength: 1,
  pattern: "\\S",
  description,
});

/** Nothing at all counts as empty: `topics:` and no more. */
const map = (description: string, more: Schema): Schema => ({
  type: ["object", "null"],
  propertyNames: { pattern: "\\S", not: { const: "__proto__" } },
  description,
  ...more,
});

const list = (description: string, items: Schema): Schema => ({
  type: ["array", "null"],
  description,
  items,
});

/**
 * The JSON Schema (2020-12) of a routing file, for editors: it completes what amp knows, and lets
 * pass what amp lets pass. What no schema can say (that a destination of a topic is one of the file,
 * that no id stands twice) the reader says.
 */
export function routingSchema(): Schema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A routing file of amp",
    description: "What notification routing should exist, by name. Order means nothing.",
    type: "object",
    required: ["version"],
    additionalProperties: false,
    properties: {
      version: { const: FILE_VERSION, description: "Of the format." },
      project: text("Where it belongs, by name or ID; another project is refused."),
      destinations: map("Where notifications are delivered to, by name.", {
        additionalProperties: { $ref: "#/$defs/destination" },
      }),
      topics: map("What connects event types with destinations, by name.", {
        additionalProperties: { $ref: "#/$defs/topic" },
      }),
      $schema: text("For editors."),
    },
    $defs: { destination: destinationSchema(), topic: topicSchema() },
  };
}

function topicSchema(): Schema {
  return map("A topic.", {
    additionalProperties: false,
    properties: {
      id: text("Of a topic that exists; without it, it is created."),
      events: list("The event types that flow into it.", {
        anyOf: [
          ...EVENT_TYPES.map((name) => ({ const: name, description: EVENTS[name].fires })),
          text("An event type that this version of amp does not know."),
        ],
      }),
      destinations: list("Names of destinations of this file.", text("The name of one.")),
    },
  });
}

function destinationSchema(): Schema {
  return {
    type: "object",
    description: "A destination: an existing one by its id, or a new one by its type.",
    oneOf: [
      {
        required: ["id"],
        additionalProperties: false,
        properties: { id: text("Of a destination that exists.") },
      },
      {
        required: ["type"],
        additionalProperties: false,
        properties: {
          type: {
            anyOf: [
              ...DESTINATION_TYPE_NAMES.map((name) => ({
                const: name,
                description: DESTINATION_TYPES[name].summary,
              })),
              text("A type that this version of amp does not know."),
            ],
          },
          metadata: map("What its type wants to know.", {}),
          secrets: map("By the service's names for them.", {
            additionalProperties: {
              type: "string",
              pattern: "^(env:[A-Za-z_][A-Za-z0-9_]*|file:[\\s\\S]+)$",
              description: "Where it is read from: env:NAME or file:PATH.",
            },
          }),
        },
        allOf: DESTINATION_TYPE_NAMES.map(fieldsOfType),
      },
    ],
  };
}

/** What a known type wants: said and completed, never insisted on. */
function fieldsOfType(name: string): Schema {
  const { metadata, secrets } = destinationType(name) as DestinationType;
  return {
    if: { required: ["type"], properties: { type: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: the name that JSON Schema has for it
    then: {
      properties: {
        metadata: { properties: described(metadata) },
        secrets: { properties: described(secrets) },
      },
    },
  };
}

function described(fields: readonly Field[]): Schema {
  return Object.fromEntries(
    fields.map(({ name, hint, required, example }) => [
      name,
      {
        description: `${hint}${required ? "" : " (may be left out)"}`,
        examples: [example],
      },
    ]),
  );
}
