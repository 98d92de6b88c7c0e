import type { ListedRouting } from "./find-resource.ts";
import type { LiveRecord } from "./model/resource.ts";
import { compareText } from "./model/routing.ts";

/** A topic whose notifications a destination receives. */
export interface FeedingTopic {
  readonly id: string;
  /** The name; absent where the list of topics does not have it. */
  readonly name?: string;
  /** The ID of the destination route between them. */
  readonly routeId: string;
  /** The event types that are routed to the topic; absent where event routes cannot be listed. */
  readonly events?: readonly string[];
}

/** A destination that receives the notifications of a topic. */
export interface FedDestination {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
  readonly routeId: string;
}

/** The topics that lead to a destination; undefined where its routes cannot be listed. */
export function topicsInto(
  { id: destination }: LiveRecord,
  listed: ListedRouting,
): readonly FeedingTopic[] | undefined {
  const routes = listed["destination-route"]?.filter(
    ({ destinationId }) => destinationId === destination,
  );
  return routes?.map(({ id: routeId, topicId }) => {
    const id = topicId ?? "";
    const events = eventsInto({ id }, listed);
    return { id, ...named(listed.topic, id), routeId, ...(events ? { events } : {}) };
  });
}

/** The event types that are routed to a topic, each once. */
export function eventsInto(
  { id: topic }: LiveRecord,
  listed: ListedRouting,
): readonly string[] | undefined {
  const routes = listed["event-route"]?.filter(({ topicId }) => topicId === topic);
  return (
    routes && [...new Set(routes.flatMap(({ eventType }) => eventType || []))].sort(compareText)
  );
}

/** The destinations of a topic. */
export function destinationsOf(
  { id: topic }: LiveRecord,
  listed: ListedRouting,
): readonly FedDestination[] | undefined {
  const routes = listed["destination-route"]?.filter(({ topicId }) => topicId === topic);
  return routes?.map(({ id: routeId, destinationId }) => {
    const id = destinationId ?? "";
    const { type } = listed.destination?.find((one) => one.id === id) ?? {};
    return { id, ...named(listed.destination, id), ...(type ? { type } : {}), routeId };
  });
}

/** An end of a route, by its ID and its name. */
export function endOfRoute(
  records: readonly LiveRecord[] | undefined,
  id: string | null | undefined,
): { readonly id: string; readonly name?: string } | undefined {
  return id ? { id, ...named(records, id) } : undefined;
}

function named(records: readonly LiveRecord[] | undefined, id: string): { readonly name?: string } {
  const name = records?.find((one) => one.id === id)?.name;
  return name ? { name } : {};
}
