import fc from "fast-check";
import type { DestinationPart, RoutingModel } from "../../../src/notify/model/routing.ts";
import type { LiveRouting } from "../../../src/notify/plan/live.ts";

const EVENTS = [
  "connection.error",
  "read.backfill.done",
  "my.event",
  "destination.webhook.disabled",
];
const NAMES = ["a", "b", "c", "d"];
const TYPES = ["webhook", "slack", "s3"];

/** Small routings in which everything occurs: nobody reached, nothing fed, one reached twice. */
export const graphModels: fc.Arbitrary<RoutingModel> = fc
  .dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...TYPES), { maxKeys: 4 })
  .chain((types) => {
    const names = Object.keys(types);
    const topic = fc.record({
      events: fc.array(fc.constantFrom(...EVENTS), { maxLength: 4 }),
      destinations:
        names.length === 0
          ? fc.constant([])
          : fc.array(fc.constantFrom(...names), { maxLength: 4 }),
    });
    return fc.dictionary(fc.constantFrom(...NAMES), topic, { maxKeys: 4 }).map((topics) => ({
      destinations: new Map(
        Object.entries(types).map(([name, type]): [string, DestinationPart] => [
          name,
          { kind: "new", type, metadata: {}, secrets: {} },
        ]),
      ),
      topics: new Map(Object.entries(topics)),
    }));
  });

/** The lists of a service that has just this routing; a route that is named twice exists twice. */
export function liveOf({ topics, destinations }: RoutingModel): LiveRouting {
  const each = [...topics];
  return {
    destination: [...destinations].map(([name, { type }]) => ({
      id: `dst-${name}`,
      name,
      ...(type === undefined ? {} : { type }),
    })),
    topic: each.map(([name]) => ({ id: `top-${name}`, name })),
    "event-route": each.flatMap(([name, { events }]) =>
      events.map((eventType, at) => ({
        id: `evr-${name}-${at}`,
        topicId: `top-${name}`,
        eventType,
      })),
    ),
    "destination-route": each.flatMap(([name, { destinations: to }]) =>
      to.map((one, at) => ({
        id: `dsr-${name}-${at}`,
        topicId: `top-${name}`,
        destinationId: `dst-${one}`,
      })),
    ),
  };
}
