import type { Address } from "../../src/notify/model/address.ts";
import type { World } from "../../src/sandbox/world.ts";

/** The project of the sandbox that has no routing yet. */
export const PROJECT = "acme";

/** Two topics, eight creates. */
export const ROUTING = `version: 1
name: routing
destinations:
  ops:
    type: webhook
    metadata: { url: https://hooks.acme.example/amp }
topics:
  lifecycle:
    events: [installation.created, installation.deleted]
    destinations: [ops]
  trouble:
    events: [connection.error]
    destinations: [ops]
`;

/** What it makes, in the order in which it is made when nothing happens at once. */
export const ADDRESSES: readonly Address[] = [
  "destination/ops",
  "topic/lifecycle",
  "topic/trouble",
  "event-route/lifecycle/installation.created",
  "event-route/lifecycle/installation.deleted",
  "event-route/trouble/connection.error",
  "destination-route/lifecycle/ops",
  "destination-route/trouble/ops",
];

/** The eight creates: path and which of those to it. */
export const CREATES = [
  ["destinations", 1],
  ["topics", 1],
  ["topics", 2],
  ["notification-event-topic-routes", 1],
  ["notification-event-topic-routes", 2],
  ["notification-event-topic-routes", 3],
  ["topic-destination-routes", 1],
  ["topic-destination-routes", 2],
] as const;

/** The ids that a project has under each natural key, told as an address. */
export function routingOf(world: World, project = PROJECT): ReadonlyMap<Address, string[]> {
  const projectId = world.projects.find(({ name }) => name === project)?.id;
  const found = new Map<Address, string[]>();
  const names = new Map([...world.destinations, ...world.topics].map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  const note = (address: Address, record: { readonly id: string; readonly projectId: string }) => {
    if (record.projectId !== projectId) return;
    found.set(address, [...(found.get(address) ?? []), record.id]);
  };
  for (const record of world.destinations) note(`destination/${record.name}`, record);
  for (const record of world.topics) note(`topic/${record.name}`, record);
  for (const record of world.eventRoutes) {
    note(`event-route/${nameOf(record.topicId)}/${record.eventType}`, record);
  }
  for (const record of world.destinationRoutes) {
    note(`destination-route/${nameOf(record.topicId)}/${nameOf(record.destinationId)}`, record);
  }
  return found;
}
