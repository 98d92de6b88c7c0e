import { randomUUID } from "node:crypto";
import * as z from "zod";
import { checkDocument } from "../document.ts";
import { type World, worldSchema } from "../world.ts";
import { SEED_WORLD } from "./world.ts";

/** The form of a file from which a sandbox starts: a world, or as much of it as is needed. */
export const seedSchema = z.strictObject({
  $schema: z.string().optional(),
  ...worldSchema.partial().shape,
  projects: worldSchema.shape.projects.check(z.minLength(1, "must have a project")),
});

type Seed = z.output<typeof seedSchema>;

/**
 * Checks a parsed seed file.
 * @throws {UsageError} where it is not one
 */
export function readSeed(value: unknown): Seed {
  checkDocument("The world", seedSchema, value);
  // The parsed input is used: the schema's output has the fields in another order.
  return value as Seed;
}

/**
 * A new world, whose times are moved so that its present is another.
 * @param seed undefined: the sample data
 */
export function newWorld(seed: Seed | undefined, present: Date): World {
  const id = randomUUID();
  if (seed === undefined) return { ...worldAt(SEED_WORLD, present), id };
  const { $schema, ...given } = seed;
  const activity = { present: present.toISOString(), stories: {} };
  return worldAt({ id, ...EMPTY, activity, ...given } as World, present);
}

const LISTS = ["orgs", "invites", "integrations", "installations", "providerApps"] as const;
const ROUTING = ["destinations", "topics", "eventRoutes", "destinationRoutes"] as const;

const EMPTY = {
  sequence: 0,
  ...Object.fromEntries([...LISTS, ...ROUTING].map((list) => [list, []])),
};

/** A world whose present is another time: every time of its records moves by as much. */
export function worldAt(world: World, present: Date): World {
  const by = present.getTime() - Date.parse(world.activity.present);
  // A walk over the values of thousands of installations takes seconds.
  const text = JSON.stringify(world).replaceAll(
    /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/gu,
    (time) => JSON.stringify(new Date(Date.parse(time.slice(1, -1)) + by)),
  );
  return JSON.parse(text) as World;
}
