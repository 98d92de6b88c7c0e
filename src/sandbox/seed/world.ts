import type { Installation } from "../../api/schemas/installation.ts";
import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import {
  HEALTH,
  INTEGRATIONS,
  type IntegrationName,
  type SeedInstallation,
  type SeedIntegration,
} from "./installation-table.ts";
import records from "./records.json" with { type: "json" };

/** The fixed present of the seeded world. */
const EPOCH = new Date("2026-09-01T12:00:00.000Z");

/** The name of the destination that every installation reads to; `records.json` has it. */
const READ_DESTINATION = "acme-webhook";

function hoursBefore(hours: number): string {
  return new Date(EPOCH.getTime() - hours * 3_600_000).toISOString();
}

function installationOf(
  integration: (typeof records.integrations)[number],
  row: SeedInstallation,
): Installation {
  const { projectId, provider } = integration;
  const name = integration.name as IntegrationName;
  const { authScheme, secretsOf, objects } = INTEGRATIONS[name];
  const [groupRef, groupName, health, reads, age, changed, { byBuilder, secrets } = {}] = row;
  const [healthStatus, lastOperationStatus, status] = HEALTH[health];
  const createTime = hoursBefore(age * 24);
  const changeTime = changed === null ? createTime : hoursBefore(changed);
  const key = groupRef ?? `solo-${name}`;
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
      : { groupRef, groupName, projectId, createTime: groupCreateTime(groupRef) };
  return {
    id: shortId("installations", name, key),
    projectId,
    integrationId: integration.id,
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
      ...(secrets && secretsOf(key)),
    },
    config: {
      id: shortId("configs", name, key),
      revisionId: shortId("revisions", name, key, changeTime),
      createTime: changeTime,
      createdBy,
      content: {
        provider,
        ...(reads > 0 && { read: { objects: readObjects(objects.slice(0, reads)) } }),
        ...(reads === 0 && byBuilder && { proxy: { enabled: true } }),
      },
    },
    createTime,
    createdBy,
    ...(changed !== null && { updateTime: changeTime }),
  };
}

/** The creation time of a group, which is older than its first installation. */
function groupCreateTime(groupRef: string): string {
  const ages = Object.values(INTEGRATIONS)
    .flatMap(({ installations }) => installations)
    .flatMap(([ref, , , , age]) => (ref === groupRef ? [age] : []));
  return hoursBefore((Math.max(...ages) + 1) * 24);
}

/** The objects of a config; the last field of each is known but not selected. */
function readObjects(objects: SeedIntegration["objects"]) {
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
      },
    ]),
  );
}

const { projects, orgs, invites, integrations, ...others } = records;

/** An integration with the newest revision of its manifest. */
function withRevision(integration: (typeof integrations)[number]) {
  const { name, provider, createTime } = integration;
  const objects = INTEGRATIONS[name as IntegrationName].objects.map(([objectName, schedule]) => ({
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
  integrations: integrations.map(withRevision),
  installations: integrations.flatMap((integration) =>
    INTEGRATIONS[integration.name as IntegrationName].installations.map((row) =>
      installationOf(integration, row),
    ),
  ),
  ...others,
} as World;
