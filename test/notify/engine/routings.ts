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
