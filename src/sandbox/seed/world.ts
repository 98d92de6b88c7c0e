import type { World } from "../world.ts";
import { installations } from "./installations.ts";
import { providerApps } from "./provider-apps.ts";
import { destinationRoutes, destinations, eventRoutes, topics } from "./routing.ts";
import { integrations, invites, orgs, projects } from "./scopes.ts";

/** What a fresh sandbox begins with; the same each time. */
export const SEED_WORLD: World = {
  sequence: 0,
  projects,
  orgs,
  invites,
  integrations,
  installations,
  providerApps,
  destinations,
  topics,
  eventRoutes,
  destinationRoutes,
};
