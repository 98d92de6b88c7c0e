import { dataMessage, isDataMessage } from "../events/message.ts";
import { type EventData, eventData } from "../events/payloads.ts";
import { urlOf } from "./events/attempt.ts";
import { integrationName } from "./events/occurrences.ts";
import { SEED_WORLD } from "./seed/world.ts";
import type { World } from "./world.ts";

type Installations = World["installations"];

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
