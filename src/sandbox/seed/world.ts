import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import {
  EPOCH,
  type IntegrationRecord,
  installationOf,
  READ_DESTINATION,
  storyEntry,
} from "./installation.ts";
import { INTEGRATIONS, type IntegrationName, type SeedIntegration } from "./installation-table.ts";
import records from "./records.json" with { type: "json" };

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
