import { firstNames } from "../../values/counted.ts";
import { type Address, addressParts } from "../model/address.ts";
import type { OtherResource } from "./plan.ts";
import type { ItemDocument } from "./vocabulary.ts";

/** A topic of a routing that others route, too, so that more is delivered than the routing says. */
export interface SharedTopic {
  readonly topic: string;
  /** The names of the files and setups that declare routes at it. */
  readonly owners: readonly string[];
  /** Who receives what besides: the new destinations the events of others, and the other way round. */
  readonly alsoReceive: readonly {
    readonly destinations: readonly string[];
    readonly events: readonly string[];
  }[];
}

/** The topics of a plan on which new routes and those of others deliver along with each other. */
export function sharedTopics(
  items: readonly Pick<ItemDocument, "address" | "kind" | "action">[],
  others: readonly OtherResource[],
): readonly SharedTopic[] {
  const created = items.filter(({ action }) => action === "create" || action === "unknown");
  const topics = new Set(
    items.flatMap(({ address, kind }) => (kind === "topic" ? addressParts(address).names : [])),
  );
  return [...topics].flatMap((topic): readonly SharedTopic[] => {
    const ends = (routes: readonly Addressed[]) => ({
      destinations: endsOf(routes, "destination-route", topic),
      events: endsOf(routes, "event-route", topic),
    });
    const [added, before] = [ends(created), ends(others)];
    const alsoReceive = [
      { destinations: added.destinations, events: before.events },
      { destinations: before.destinations, events: added.events },
    ].filter(({ destinations, events }) => destinations.length > 0 && events.length > 0);
    if (alsoReceive.length === 0) return [];
    const owners = others.flatMap((one) => (isRouteOf(one, topic) ? one.owners : []));
    return [{ topic, owners: [...new Set(owners)], alsoReceive }];
  });
}

/** Says who receives more than a plan names; undefined if nobody does. */
export function sharedTopicsText(shared: readonly SharedTopic[]): string | undefined {
  const lines = shared.map(({ topic, owners, alsoReceive }) => {
    const by = owners.length === 0 ? "shared" : `also declared by ${firstNames(owners)}`;
    const gains = alsoReceive.map(({ destinations, events }) => {
      const verb = destinations.length === 1 ? "receives" : "receive";
      return `${firstNames(destinations)} also ${verb} ${firstNames(events)}`;
    });
    return `Topic ${topic} is ${by}: ${gains.join("; ")}`;
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}

interface Addressed {
  readonly address: Address;
}

/** Whether an address is that of a route at a topic. */
export function isRouteOf({ address }: Addressed, topic: string): boolean {
  const { names } = addressParts(address);
  return names.length > 1 && names[0] === topic;
}

/** The other ends of the routes at a topic. */
export function endsOf(
  routes: readonly Addressed[],
  kind: "event-route" | "destination-route",
  topic: string,
): string[] {
  return routes.flatMap((route) => {
    const { kind: found, names } = addressParts(route.address);
    return found === kind && isRouteOf(route, topic) ? (names[1] ?? []) : [];
  });
}
