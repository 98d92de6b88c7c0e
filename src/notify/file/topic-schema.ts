import * as z from "zod/mini";
import { EVENT_TYPES, EVENTS } from "../../api/catalogue/events.ts";
import { described, earlierName, knownOr, listSchema, mustBe, textSchema } from "./schema-parts.ts";

/** The parts of a topic that declare routes. */
export const ROUTES = {
  "event-route": listSchema(
    knownOr(
      EVENT_TYPES.map((name) => [name, EVENTS[name].fires]),
      ["an event type", "[installation.created]"],
      "Another event type, all (every known one), or a pattern such as connection.*.",
    ),
    ["events", "[installation.created]"],
    "Event types that the topic receives.",
  ),
  "destination-route": listSchema(
    textSchema(["a destination", "[ops]"], "Name of a destination."),
    ["destinations", "[ops]"],
    "Names of destinations in this file that the topic delivers to.",
  ),
};

/** The schema of one topic of a routing file; an empty value is a topic without routes. */
export const topicSchema = z.nullable(
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

/** The keys that a topic may have. */
export const TOPIC_KEYS: readonly string[] = Object.keys(topicSchema.def.innerType.shape);
