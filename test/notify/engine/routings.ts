import fc from "fast-check";
import type {
  DestinationPart,
  RoutingModel,
  TopicPart,
} from "../../../src/notify/model/routing.ts";

/** A new webhook. */
export function webhook(url = "https://hooks.example.com/a"): DestinationPart {
  return { kind: "new", type: "webhook", metadata: { url }, secrets: {} };
}

/** Two topics and two destinations: eight creates. */
export const EIGHT: RoutingModel = {
  name: "routing",
  destinations: new Map([
    ["archive", webhook("https://hooks.example.com/b")],
    ["ops", webhook()],
  ]),
  topics: new Map<string, TopicPart>([
    ["health", { events: ["connection.error"], destinations: ["ops"] }],
    ["lifecycle", { events: ["installation.created"], destinations: ["archive"] }],
  ]),
};

/** How many things {@link EIGHT} has. */
export const EIGHT_STEPS = 8;

const EVENTS = ["connection.error", "installation.created", "installation.deleted"];

/** Small routings of new things. */
export const models: fc.Arbitrary<RoutingModel> = fc
  .record({
    destinations: fc.uniqueArray(fc.constantFrom("a", "b", "c/d"), { minLength: 1 }),
    topics: fc.uniqueArray(fc.constantFrom("t", "u%", "v"), { minLength: 1, maxLength: 2 }),
  })
  .chain(({ destinations, topics }) =>
    fc
      .tuple(
        ...topics.map(() =>
          fc.record({
            events: fc.uniqueArray(fc.constantFrom(...EVENTS)),
            destinations: fc.uniqueArray(fc.constantFrom(...destinations)),
          }),
        ),
      )
      .map(
        (parts): RoutingModel => ({
          destinations: new Map(
            destinations.map((name) => [name, webhook(`https://x.example/${name}`)]),
          ),
          topics: new Map(
            topics.map((name, at) => [name, parts[at] ?? { events: [], destinations: [] }]),
          ),
        }),
      ),
  );
