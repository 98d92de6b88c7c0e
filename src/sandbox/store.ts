import { Refusal } from "./problem.ts";
import { shortId } from "./short-id.ts";
import type { RoutingList, World } from "./world.ts";

/** A step from one world to the next, with what is to be answered about it. */
export type Change<Result> = (world: World) => { readonly world: World; readonly result: Result };

/** A new record as a request describes it; id and time are given by the sandbox. */
export type NewRecord<List extends RoutingList> = Omit<World[List][number], "id" | "createTime">;

/** The change that adds a record to a list, last. */
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

/** The world without those records of a list that a test finds. */
export function removeRecords<List extends RoutingList>(
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
function freshId(world: World, list: RoutingList, facts: string): string {
  for (let attempt = 0; ; attempt++) {
    const id = shortId(list, world.sequence, attempt, facts);
    if (!world[list].some((record) => record.id === id)) return id;
  }
}

/** The world as it is now. Changes happen one after the other, each saved before it is real. */
export class Store {
  #world: World;
  #last: Promise<unknown> = Promise.resolve();
  readonly #save: (world: World) => void | Promise<void>;

  constructor(world: World, save: (world: World) => void | Promise<void>) {
    this.#world = world;
    this.#save = save;
  }

  get world(): World {
    return this.#world;
  }

  /**
   * Makes a change once those before it are done.
   * @throws {Refusal} the change's own, or `not-saved`; nothing has changed then
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
    this.#world = next.world;
    return next.result;
  }
}
