import { EVENT_TYPES } from "../../../api/catalogue/events.ts";
import { text } from "../../../cli/define.ts";
import type { MeantRoutes } from "../../../notify/find-resource.ts";
import { inputErrors } from "../../../values/errors.ts";
import { commandErrors } from "../../errors.ts";

/** The options that say which routes are meant. */
export const routeOptions = {
  topic: text("topic of the route, by name or ID", {
    placeholder: "topic",
    wire: "topicId",
    complete: "topic",
    question: "Topic, by name or ID",
  }),
  event: text("event type that the topic receives; amp notify events lists them", {
    placeholder: "event",
    wire: "eventType",
    suggestions: EVENT_TYPES,
  }),
  destination: text("destination that receives what the topic does, by name or ID", {
    placeholder: "destination",
    wire: "destinationId",
    complete: "destination",
  }),
};

type TypedRoute = Partial<Record<keyof typeof routeOptions, string | undefined>>;

/**
 * The routes that options mean, with the fields of these: of both kinds without `--event` and
 * `--destination`.
 * @throws {UsageError} with both
 */
export function routesMeant({ topic, event, destination }: TypedRoute): MeantRoutes {
  if (event !== undefined && destination !== undefined) {
    throw inputErrors.options_conflict("--event", "--destination").setFacts({
      detail: "A route leads from an event to a topic, or from a topic to a destination.",
    });
  }
  const all = { topicId: topic, eventType: event, destinationId: destination };
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (event !== undefined) return { kinds: ["event-route"], fields };
  if (destination !== undefined) return { kinds: ["destination-route"], fields };
  return { kinds: ["event-route", "destination-route"], fields };
}

/**
 * The route that the options of a create or delete mean.
 * @throws {UsageError} unless exactly one of `--event` and `--destination` was given
 */
export function routeMeant(typed: TypedRoute): MeantRoutes {
  const meant = routesMeant(typed);
  if (meant.kinds.length === 1) return meant;
  throw commandErrors.route_end_missing();
}
