import type { Api } from "../../api/api.ts";
import {
  listDestinationRoutes,
  listDestinations,
  listEventRoutes,
  listTopics,
} from "../../api/endpoints.ts";
import { lacksOperation } from "../../api/lacks-operation.ts";
import type { LiveRouting } from "./live.ts";

/**
 * Lists the whole routing of a project. A service that lacks one of the four lists counts as one
 * without lists: half of the truth would have the other half made twice.
 * @returns undefined where the service has no lists, which the spec does not ask of it
 * @throws {AmpError} where a list that exists could not be read
 */
export async function listRouting(api: Api, project: string): Promise<LiveRouting | undefined> {
  const path = { projectIdOrName: project };
  const answers = await Promise.allSettled([
    api.call(listDestinations, { path }),
    api.call(listTopics, { path }),
    api.call(listEventRoutes, { path }),
    api.call(listDestinationRoutes, { path }),
  ]);
  const [destinations, topics, eventRoutes, destinationRoutes] = answers;
  if (
    destinations.status === "fulfilled" &&
    topics.status === "fulfilled" &&
    eventRoutes.status === "fulfilled" &&
    destinationRoutes.status === "fulfilled"
  ) {
    return {
      destinations: destinations.value,
      topics: topics.value,
      eventRoutes: eventRoutes.value,
      destinationRoutes: destinationRoutes.value,
    };
  }
  for (const answer of answers) {
    if (answer.status === "fulfilled") continue;
    if (!(await lacksOperation(api, answer.reason, project))) throw answer.reason;
  }
  return undefined;
}
