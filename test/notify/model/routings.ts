import fc from "fast-check";
import type {
  DestinationPart,
  RoutingModel,
  TopicPart,
} from "../../../src/notify/model/routing.ts";
import { Secret } from "../../../src/secrets/secret.ts";

/** The routing of the screens: three events, one topic, one webhook. */
export const lifecycle: RoutingModel = {
  destinations: new Map<string, DestinationPart>([
    [
      "ops-webhook",
      {
        kind: "new",
        type: "webhook",
        metadata: { url: "https://hooks.acme.com/amp" },
        secrets: {},
      },
    ],
  ]),
  topics: new Map<string, TopicPart>([
    [
      "customer-lifecycle",
      {
        events: ["installation.created", "installation.deleted", "connection.error"],
        destinations: ["ops-webhook"],
      },
    ],
  ]),
};

/** Names that try to break out of whatever holds them. */
const nasty = fc.oneof(
  fc.constantFrom("a", "ops-webhook", "__proto__", "a/b", "a%2Fb", "it's", "$HOME `id`", "--yes"),
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
);

/** Text as a shell word can hold it: anything but NUL, which no argument can hold. */
export const words = fc
  .oneof(nasty, fc.string({ unit: "binary-ascii", minLength: 1 }))
  .map((text) => text.replaceAll("\0", "0"))
  .filter((text) => text.trim() !== "");

const secret = words.map((value) => new Secret(value));

/** A destination, new or existing. */
export const destinationParts: fc.Arbitrary<DestinationPart> = fc.oneof(
  words.map((id): DestinationPart => ({ kind: "existing", id })),
  fc.record({
    kind: fc.constant("new" as const),
    type: fc.oneof(fc.constantFrom("webhook", "slack", "rabbitmq"), words),
    metadata: fc.dictionary(words, fc.oneof(words, fc.boolean(), fc.dictionary(words, words))),
    secrets: fc.dictionary(words, secret),
  }),
);

/** Any routing whose topics lead to destinations that it has. */
export const routings: fc.Arbitrary<RoutingModel> = fc
  .array(fc.tuple(nasty, destinationParts), { minLength: 1, maxLength: 4 })
  .chain((destinations) => {
    const names = destinations.map(([name]) => name);
    const topic: fc.Arbitrary<TopicPart> = fc.record({
      events: fc.array(nasty, { maxLength: 6 }),
      destinations: fc.array(fc.constantFrom(...names), { maxLength: 4 }),
    });
    return fc.array(fc.tuple(nasty, topic), { maxLength: 4 }).map((topics) => ({
      destinations: new Map(destinations),
      topics: new Map(topics),
    }));
  });
