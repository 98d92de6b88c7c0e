import { dataMessage, isDataMessage } from "../events/message.ts";
import { type EventData, eventData } from "../events/payloads.ts";
import { urlOf } from "./events/attempt.ts";
import { integrationName } from "./events/changes.ts";
import { SEED_WORLD } from "./seed/world.ts";
import type { World } from "./world.ts";

/** The input of a sample of an event. */
export interface SampleInput {
  readonly world: World;
  readonly projectId: string;
  readonly type: string;
  readonly time: Date;
  /** Default: the first installation that reads something. */
  readonly installationId?: string | undefined;
}

/** The fields of an event, from an installation of a world; undefined where there is none. */
export function sampleData(input: SampleInput): EventData | undefined {
  const { world, projectId, type, time, installationId } = input;
  const all = world.installations.filter((each) => each.projectId === projectId);
  const installation =
    installationId === undefined
      ? (all.find(({ config }) => config.content?.read) ?? all[0])
      : all.find(({ id }) => id === installationId);
  if (installation === undefined) return undefined;
  const subject = { installation, integrationName: integrationName(world, installation), time };
  if (isDataMessage(type)) return dataMessage(type, subject);
  const destination = world.destinations.find(
    (each) => each.projectId === projectId && each.type === "webhook",
  );
  return eventData(type, {
    ...subject,
    destination: destination && { ...destination, url: urlOf(destination) ?? "" },
  });
}

/** The fields of an event of the sample data that every sandbox begins with. */
export function builtInSample(type: string, time: Date): EventData {
  const projectId = SEED_WORLD.projects[0]?.id ?? "";
  return sampleData({ world: SEED_WORLD, projectId, type, time }) ?? {};
}
