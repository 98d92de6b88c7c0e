import type { Installation } from "../../api/schemas/installation.ts";
import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import {
  HEALTH_FIELDS,
  INTEGRATIONS,
  type IntegrationName,
  type SeedInstallation,
  type SeedIntegration,
  STORY_OF_HEALTH,
} from "./installation-table.ts";
import records from "./records.json" with { type: "json" };
import type { StoryName } from "./stories.ts";

/** The fixed present of the seeded world. */
const EPOCH = new Date("2026-09-01T12:00:00.000Z");

/** The name of the destination that every installation reads to; `records.json` has it. */
const READ_DESTINATION = "acme-webhook";

/** An integration, as a world has it. */
export interface IntegrationRecord {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly provider: string;
  readonly createTime: string;
}

function hoursBefore(hours: number): string {
  return new Date(EPOCH.getTime() - hours * 3_600_000).toISOString();
}

/** The installation of a row. */
export function installationOf(
  { id: integrationId, name, projectId, provider }: IntegrationRecord,
  { authScheme, secretsOf, objects }: SeedIntegration,
  row: SeedInstallation,
): Installation {
  const [groupRef, groupName, health, reads, age, changed, more = {}] = row;
  const { byBuilder, secrets } = more;
  const [healthStatus, lastOperationStatus, status] = HEALTH_FIELDS[health];
  const createTime = hoursBefore(age * 24);
  const changeTime = changed === null ? createTime : hoursBefore(changed);
  const key = keyOf(name, row);
  const consumer = {
    consumerRef: `usr-${key}`,
    consumerName: groupRef === null ? "Sam Solo" : `Admin of ${groupName}`,
    projectId,
    createTime,
  };
  const createdBy = byBuilder ? "builder:bld_0ddba11" : `consumer:${consumer.consumerRef}`;
  const group =
    groupRef === null
      ? { groupRef: key, groupName: consumer.consumerName, projectId, createTime }
      : { groupRef, groupName, projectId, createTime: groupCreateTime(groupRef, age) };
  return {
    id: shortId("installations", name, key),
    projectId,
    integrationId,
    healthStatus,
    ...(lastOperationStatus && { lastOperationStatus }),
    ...(groupRef !== null && { group }),
    connection: {
      id: shortId("connections", name, key),
      projectId,
      provider,
      // A connection has both, also where the installation has no group or the builder made it.
      group,
      consumer,
      createTime,
      authScheme,
      status,
      ...(secrets && secretsOf?.(key)),
    },
    config: {
      id: shortId("configs", name, key),
      revisionId: shortId("revisions", name, key, changeTime),
      createTime: changeTime,
      createdBy,
      content: {
        provider,
        ...(reads > 0 && { read: { objects: readObjects(objects.slice(0, reads), more.read) } }),
        ...(reads === 0 && byBuilder && { proxy: { enabled: true } }),
        ...more.content,
      },
    },
    createTime,
    createdBy,
    ...(changed !== null && { updateTime: changeTime }),
  };
}

/** The name of an installation's group within its integration, from which its IDs are made. */
function keyOf(integration: string, [groupRef]: SeedInstallation): string {
  return groupRef ?? `solo-${integration}`;
}

/** The ID of an installation with the story of what it did. */
export function storyEntry(integration: string, row: SeedInstallation): [string, StoryName] {
  const [, , health, , , , { story = STORY_OF_HEALTH[health] } = {}] = row;
  return [shortId("installations", integration, keyOf(integration, row)), story];
}

/** The creation time of a group, which is older than its first installation. */
function groupCreateTime(groupRef: string, own: number): string {
  const ages = Object.values(INTEGRATIONS)
    .flatMap(({ installations }) => installations)
    .flatMap(([ref, , , , age]) => (ref === groupRef ? [age] : []));
  return hoursBefore((Math.max(own, ...ages) + 1) * 24);
}

/** The objects of a config; the last field of each is known but not selected. */
function readObjects(
  objects: SeedIntegration["objects"],
  more: Readonly<Record<string, unknown>> = {},
) {
  return Object.fromEntries(
    objects.map(([objectName, schedule, ...fields]) => [
      objectName,
      {
        objectName,
        schedule,
        destination: READ_DESTINATION,
        selectedFields: Object.fromEntries(
          fields.map((field, at) => [field, at < fields.length - 1]),
        ),
        selectedFieldMappings: fields.length > 3 ? { [`${objectName}Name`]: fields[0] } : {},
        ...more,
      },
    ]),
  );
}

const { projects, orgs, invites, integrations, ...others } = records;

/** An integration with the newest revision of its manifest. */
export function withRevision<Integration extends IntegrationRecord>(
  integration: Integration,
  seed: SeedIntegration,
) {
  const { name, provider, createTime } = integration;
  const objects = seed.objects.map(([objectName, schedule]) => ({
    objectName,
    destination: READ_DESTINATION,
    schedule,
  }));
  const content = { name, provider, read: { objects } };
  const id = shortId("revisions", name);
  return { ...integration, latestRevision: { id, specVersion: "1.0.0", createTime, content } };
}

/**
 * The world of every new sandbox. The main project has installations and the routing of what they
 * read. The second has only routing.
 */
export const SEED_WORLD = {
  sequence: 0,
  projects,
  orgs,
  invites,
  integrations: integrations.map((integration) =>
    withRevision(integration, INTEGRATIONS[integration.name as IntegrationName]),
  ),
  installations: integrations.flatMap((integration) => {
    const seed = INTEGRATIONS[integration.name as IntegrationName];
    return seed.installations.map((row) => installationOf(integration, seed, row));
  }),
  ...others,
  activity: {
    present: EPOCH.toISOString(),
    stories: Object.fromEntries(
      Object.entries(INTEGRATIONS).flatMap(([name, { installations }]) =>
        installations.map((row) => storyEntry(name, row)),
      ),
    ),
  },
} as World;
