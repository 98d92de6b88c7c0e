import { destinationOfData, isDataMessage } from "../../events/message.ts";
import type { EventData } from "../../events/payloads.ts";
import type { World } from "../world.ts";
import type { Reach } from "./delivery.ts";

/** The facts that decide where an event is delivered. */
interface Routed {
  readonly projectId: string;
  readonly type: string;
  readonly data: EventData;
}

/** Where an event goes in a world: once for each topic and destination that its routes connect. */
export function reachesOf(world: World, event: Routed): readonly Reach[] {
  const { projectId, type } = event;
  if (isDataMessage(type)) return dataReaches(world, event);
  const topics = new Set(
    world.eventRoutes.flatMap((route) =>
      route.projectId === projectId && route.eventType === type ? [route.topicId] : [],
    ),
  );
  return [...topics].flatMap((topicId) => {
    const routes = world.destinationRoutes.filter((route) => route.topicId === topicId);
    return [...new Set(routes.map((route) => route.destinationId))].map((destinationId) => ({
      topicId,
      destinationId,
    }));
  });
}

/** Data goes straight to the destination that the installation's read of the object names. */
function dataReaches(world: World, { projectId, data }: Routed): readonly Reach[] {
  const { installationId, objectName } = data;
  const installation = world.installations.find(
    (each) => each.id === installationId && each.projectId === projectId,
  );
  if (installation === undefined || typeof objectName !== "string") return [];
  const name = destinationOfData({ installation, objectName });
  const found = world.destinations.find(
    (each) => each.projectId === projectId && each.name === name,
  );
  return found === undefined ? [] : [{ destinationId: found.id }];
}
