import { shortId } from "./short-id.ts";
import type { GrowingList, World } from "./world.ts";

/** A step from one world to the next, with what is to be answered about it. */
export type Change<Result> = (world: World) => { readonly world: World; readonly result: Result };

/** A new record as a request describes it; id and time are given by the sandbox. */
export type NewRecord<List extends GrowingList> = Omit<World[List][number], "id" | "createTime">;

/** The change that adds a record to a list, last. */
export function add<List extends GrowingList>(
  world: World,
  list: List,
  facts: NewRecord<List>,
  createTime: Date,
) {
  const record = {
    id: freshId(world, list, JSON.stringify(facts)),
    ...facts,
    createTime: createTime.toISOString(),
  } as World[List][number];
  const next: World = {
    ...world,
    sequence: world.sequence + 1,
    [list]: [...world[list], record],
  };
  return { world: next, result: record };
}

/** The world without those records of a list that a test finds. */
export function remove<List extends GrowingList>(
  world: World,
  list: List,
  found: (record: World[List][number]) => boolean,
): World {
  const kept = world[list].filter((record) => !found(record));
  return { ...world, [list]: kept };
}

/**
 * The facts are part of the id: after a restart without state a different record does not get the
 * id that someone may remember from the sandbox's earlier life.
 */
function freshId(world: World, list: GrowingList, facts: string): string {
  for (let attempt = 0; ; attempt++) {
    const id = shortId(list, world.sequence, attempt, facts);
    if (!world[list].some((record) => record.id === id)) return id;
  }
}
