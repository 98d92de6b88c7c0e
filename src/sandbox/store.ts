import { Refusal } from "./problem.ts";
import { shortId } from "./short-id.ts";
import type { RoutingList, World } from "./world.ts";

/** A change from one world to the next, with its result. */
export type Change<Result> = (world: World) => { readonly world: World; readonly result: Result };

/** A new record without the ID and the time, which the sandbox adds. */
export type NewRecord<List extends RoutingList> = Omit<World[List][number], "id" | "createTime">;

/** Appends a record to a list. */
export function addRecord<List extends RoutingList>(
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

/** Replaces fields of a record, which the list must have. */
export function updateRecord<List extends "destinations" | "topics">(
  world: World,
  list: List,
  id: string,
  fields: Partial<World[List][number]>,
  updateTime: Date,
) {
  const change = { ...fields, updateTime: updateTime.toISOString() };
  const records: readonly World[List][number][] = world[list].map((record) =>
    record.id === id ? { ...record, ...change } : record,
  );
  return { ...world, [list]: records } as World;
}

/** Removes records from a list. */
export function removeRecords<List extends RoutingList>(
  world: World,
  list: List,
  isRemoved: (record: World[List][number]) => boolean,
): World {
  const kept = world[list].filter((record) => !isRemoved(record));
  return { ...world, [list]: kept };
}

/**
 * Makes an ID, also from the record's facts: after a restart without state, a different record
 * does not get an ID that somebody remembers from before.
 */
function freshId(world: World, list: RoutingList, facts: string): string {
  for (let attempt = 0; ; attempt++) {
    const id = shortId(list, world.sequence, attempt, facts);
    if (!world[list].some((record) => record.id === id)) return id;
  }
}

/** The current world. Changes are made one after the other, each saved before it takes effect. */
export class Store {
  #world: World;
  #last: Promise<unknown> = Promise.resolve();
  readonly #save: (world: World) => void | Promise<void>;

  readonly #changed: (before: World, after: World) => Promise<void>;

  /** @param changed called after each change, which waits for it */
  constructor(
    world: World,
    save: (world: World) => void | Promise<void>,
    changed: (before: World, after: World) => Promise<void> = async () => {},
  ) {
    this.#world = world;
    this.#save = save;
    this.#changed = changed;
  }

  get world(): World {
    return this.#world;
  }

  /**
   * Makes a change after the earlier ones.
   * @throws {Refusal} that of the change, or `not-saved`; the world is unchanged then
   */
  change<Result>(change: Change<Result>): Promise<Result> {
    const turn = this.#last.then(() => this.#make(change));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #make<Result>(change: Change<Result>): Promise<Result> {
    const next = change(this.#world);
    try {
      await this.#save(next.world);
    } catch (error) {
      throw new Refusal("not-saved", "The change could not be saved, so it was not made.", {
        causes: [error instanceof Error ? error.message : String(error)],
      });
    }
    const before = this.#world;
    this.#world = next.world;
    await this.#changed(before, next.world);
    return next.result;
  }
}
