import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import { seedInstallations } from "./installations.ts";
import {
  daysBefore,
  PROJECT,
  seedIntegrations,
  seedInvites,
  seedOrgs,
  seedProjects,
} from "./scopes.ts";

/** OAuth clients: one with every field, one with the required ones only. */
export const seedProviderApps: World["providerApps"] = [
  {
    id: shortId("providerApps", "hubspot"),
    projectId: PROJECT.main,
    externalRef: "1824471",
    provider: "hubspot",
    clientId: "sandbox-client-hubspot",
    scopes: ["crm.objects.contacts.read", "crm.objects.companies.read", "oauth"],
    metadata: {
      authQueryParams: { optional_scope: ["crm.objects.deals.read", "tickets"] },
      providerParams: { accountRegion: "eu1" },
    },
    createTime: daysBefore(398),
    updateTime: daysBefore(31),
  },
  {
    id: shortId("providerApps", "hubspot", "trial"),
    projectId: PROJECT.main,
    provider: "hubspot",
    clientId: "sandbox-client-hubspot-trial",
    createTime: daysBefore(12),
  },
  {
    id: shortId("providerApps", "ghost"),
    projectId: PROJECT.main,
    externalRef: "ghost-admin",
    provider: "ghost",
    clientId: "sandbox-client-ghost",
    scopes: [],
    createTime: daysBefore(90),
  },
  {
    id: shortId("providerApps", "hubspot", "staging"),
    projectId: PROJECT.second,
    provider: "hubspot",
    clientId: "sandbox-client-hubspot-staging",
    scopes: ["oauth"],
    createTime: daysBefore(150),
  },
];

// Only the second project has routing: the main one is there to be set up.

const projectId = PROJECT.second;
const createTime = daysBefore(100);
const routingId = (list: Parameters<typeof shortId>[0], name: string) =>
  shortId(list, projectId, name);

export const seedDestinations: World["destinations"] = [
  {
    id: routingId("destinations", "staging-webhook"),
    projectId,
    name: "staging-webhook",
    type: "webhook",
    metadata: {
      url: "https://hooks.globex.example/amp",
      headers: { "X-Environment": "staging" },
    },
    createTime,
  },
  {
    id: routingId("destinations", "staging-archive"),
    projectId,
    name: "staging-archive",
    type: "s3",
    metadata: { bucket: "globex-staging-archive", region: "eu-west-1" },
    secrets: { awsKeyId: "sandbox-key-id", awsSecretKey: "sandbox-no-secret" },
    createTime,
  },
];

export const seedTopics: World["topics"] = ["lifecycle", "trouble"].map((name) => ({
  id: routingId("topics", name),
  name,
  projectId,
  createTime,
}));

export const seedEventRoutes: World["eventRoutes"] = (
  [
    ["lifecycle", "installation.created"],
    ["lifecycle", "installation.deleted"],
    ["trouble", "connection.error"],
    ["trouble", "read.schedule.paused"],
  ] as const
).map(([topic, eventType]) => ({
  id: routingId("eventRoutes", `${topic}/${eventType}`),
  eventType,
  topicId: routingId("topics", topic),
  projectId,
  createTime,
}));

export const seedDestinationRoutes: World["destinationRoutes"] = (
  [
    ["lifecycle", "staging-archive"],
    ["lifecycle", "staging-webhook"],
    ["trouble", "staging-webhook"],
  ] as const
).map(([topic, destination]) => ({
  id: routingId("destinationRoutes", `${topic}/${destination}`),
  topicId: routingId("topics", topic),
  destinationId: routingId("destinations", destination),
  projectId,
  createTime,
}));

/** The world of a new sandbox; the same each time. */
export const SEED_WORLD: World = {
  sequence: 0,
  projects: seedProjects,
  orgs: seedOrgs,
  invites: seedInvites,
  integrations: seedIntegrations,
  installations: seedInstallations,
  providerApps: seedProviderApps,
  destinations: seedDestinations,
  topics: seedTopics,
  eventRoutes: seedEventRoutes,
  destinationRoutes: seedDestinationRoutes,
};
