import type { Api } from "../../api/operations/endpoint.ts";
import {
  listDestinationRoutes,
  listDestinations,
  listEventRoutes,
  listTopics,
} from "../../api/operations/endpoints.ts";
import { ifSupported } from "../../api/operations/optional-operation.ts";
import type { Destination, Topic } from "../../api/schemas/notification.ts";

/** What a project has already. Absent: the service has no lists. */
export interface Survey {
  readonly destinations?: readonly Destination[];
  readonly topics?: readonly Topic[];
}

/** The routes of a topic: event type or destination id, to the id of the route. */
export interface TopicRoutes {
  readonly events: ReadonlyMap<string, string>;
  readonly destinations: ReadonlyMap<string, string>;
}

/** Looks at what exists. A service that lists no destinations is not asked for more. */
export async function takeSurvey(api: Api, project: string): Promise<Survey> {
  const path = { projectIdOrName: project };
  const destinations = await ifSupported(api.call(listDestinations, { path }));
  if (!destinations) return {};
  const topics = await ifSupported(api.call(listTopics, { path }));
  return topics ? { destinations, topics } : { destinations };
}

/** The routes that a topic has; none where the service does not list them. */
export async function routesOf(api: Api, project: string, topicId: string): Promise<TopicRoutes> {
  const path = { projectIdOrName: project };
  const query = { topicId };
  const events = await ifSupported(api.call(listEventRoutes, { path, query }));
  const outs = await ifSupported(api.call(listDestinationRoutes, { path, query }));
  return {
    // A server that knows no filter answers with those of every topic.
    events: byKey((events ?? []).filter(ofTopic(topicId)), ({ eventType }) => eventType),
    destinations: byKey((outs ?? []).filter(ofTopic(topicId)), (route) => route.destinationId),
  };
}

function ofTopic(id: string) {
  return ({ topicId }: { readonly topicId?: string | null | undefined }) => topicId === id;
}

function byKey<Route extends { readonly id: string }>(
  routes: readonly Route[],
  key: (route: Route) => string | null | undefined,
): Map<string, string> {
  return new Map(
    routes.flatMap((route) => {
      const name = key(route);
      return name ? [[name, route.id] as const] : [];
    }),
  );
}
