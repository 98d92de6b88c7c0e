import type { World } from "../src/sandbox/world.ts";
import { MAIN_PROJECT, SEED_WORLD } from "./platform.ts";

const main = SEED_WORLD.projects.find(({ name }) => name === MAIN_PROJECT)?.id;
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
