import {
  dataMessage,
  destinationOfData,
  type EventData,
  eventData,
  isDataMessage,
} from "../../events/message/payloads.ts";
import { SEED_WORLD } from "../seed/world.ts";
import type { World } from "../world.ts";
import { type Reach, type SandboxEvent, urlOf } from "./delivery.ts";

/** An event that is to occur, before its configs are fitted into a message. */
export type Occurrence = Pick<SandboxEvent, "projectId" | "type" | "data">;

/** The events that a change fires by itself: requests change no more of an installation than its config. */
export function eventsOf(before: World, after: World, time: Date): readonly Occurrence[] {
  if (before.installations === after.installations) return [];
  const old = new Map(before.installations.map((one) => [one.id, one]));
  const type = "installation.updated";
  return after.installations.flatMap((installation) => {
    const { id, projectId, config } = installation;
    const last = old.get(id);
    const lastConfig = last?.config.content ?? {};
    const isSame = () => JSON.stringify(lastConfig) === JSON.stringify(config.content ?? {});
    if (last === installation || isSame()) return [];
    const name = integrationName(after, installation);
    const data = eventData(type, { installation, time, integrationName: name, lastConfig });
    return { projectId, type, data };
  });
}

type Installations = World["installations"];

/** The name of the integration of an installation; its ID where there is none. */
export function integrationName(
  { integrations }: World,
  installation: Installations[number],
): string {
  const { integrationId } = installation;
  return integrations.find(({ id }) => id === integrationId)?.name ?? integrationId;
}

/** Where an event goes in a world: once for each topic and destination that its routes connect. */
export function reachesOf(world: World, event: Occurrence): readonly Reach[] {
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
function dataReaches(world: World, { projectId, data }: Occurrence): readonly Reach[] {
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

/** The installation that a sample is about by default: the first that reads something. */
export function typicalOf(installations: Installations): Installations[number] | undefined {
  return installations.find(({ config }) => config.content?.read) ?? installations[0];
}

/** The fields of an event that concerns an installation of a world. */
export function sampleData(
  world: World,
  installation: Installations[number],
  type: string,
  time: Date,
): EventData {
  const subject = { installation, integrationName: integrationName(world, installation), time };
  if (isDataMessage(type)) return dataMessage(type, subject);
  const destination = world.destinations.find(
    (each) => each.projectId === installation.projectId && each.type === "webhook",
  );
  return eventData(type, {
    ...subject,
    destination: destination && { ...destination, url: urlOf(destination) ?? "" },
  });
}

/** The fields of an event of the sample data that every sandbox begins with. */
export function builtInSample(type: string, time: Date): EventData {
  const installation = typicalOf(SEED_WORLD.installations);
  return installation === undefined ? {} : sampleData(SEED_WORLD, installation, type, time);
}
