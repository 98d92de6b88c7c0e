import { SANDBOX_DEFAULTS } from "../src/sandbox/defaults.ts";
import { SEED_WORLD } from "../src/sandbox/seed/world.ts";
import type { World } from "../src/sandbox/world.ts";

const main = SEED_WORLD.projects.find(({ name }) => name === SANDBOX_DEFAULTS.project)?.id;
const ofOthers = <Each extends { readonly projectId: string }>(records: readonly Each[]) =>
  records.filter(({ projectId }) => projectId !== main);

/** The seeded world with nothing routed in its main project, for what a test sets up itself. */
export const UNROUTED: World = {
  ...SEED_WORLD,
  destinations: ofOthers(SEED_WORLD.destinations),
  topics: ofOthers(SEED_WORLD.topics),
  eventRoutes: ofOthers(SEED_WORLD.eventRoutes),
  destinationRoutes: ofOthers(SEED_WORLD.destinationRoutes),
};
