import type { EventEntry } from "./events/delivery.ts";
import { Refusal } from "./problem.ts";
import { shortId } from "./short-id.ts";
import type { RoutingList, World } from "./world.ts";

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
export function updateRecord<List extends "destinations" | "installations" | "topics">(
  world: World,
  list: List,
  id: string,
  fields: Partial<World[List][number]>,
  updateTime: Date,
) {
  const change = { ...fields, updateTime: updateTime.toISOString() };
  const before: readonly World[List][number][] = world[list];
  const records = before.map((each) => (each.id === id ? { ...each, ...change } : each));
  const result = records.find((each) => each.id === id) as World[List][number];
  return { world: { ...world, [list]: records } as World, result };
}

/**
 * Makes an ID, also from the record's facts: after a restart without state, a different record does
 * not get an ID that was used before.
 */
function freshId(world: World, list: RoutingList, facts: string): string {
  for (let attempt = 0; ; attempt++) {
    const id = shortId(list, world.sequence, attempt, facts);
    if (!world[list].some((record) => record.id === id)) return id;
  }
}

/** The steps of a change, in this order. */
export interface ChangeSteps {
  causedBy(before: World, after: World): readonly EventEntry[];
  /** Saves the world and the events together, so that a kill loses neither or both. */
  save(world: World, caused: readonly EventEntry[]): void | Promise<void>;
  /** Called once the world has changed. The answer to the change, and the next one, wait for it. */
  changed(before: World, after: World, caused: readonly EventEntry[]): Promise<void>;
}

/** The current world. Changes are made one after the other, each saved before it takes effect. */
export class Store {
  #world: World;
  #last: Promise<unknown> = Promise.resolve();
  readonly #steps: ChangeSteps;

  constructor(world: World, steps: ChangeSteps) {
    this.#world = world;
    this.#steps = steps;
  }

  get world(): World {
    return this.#world;
  }

  /**
   * Makes a change after the earlier ones.
   * @throws {Refusal} that of the change, or `not-saved`; the world is unchanged then
   */
  change<Result>(
    change: (world: World) => { readonly world: World; readonly result: Result },
  ): Promise<Result> {
    return this.#inTurn(async () => {
      const before = this.#world;
      const { world, result } = change(before);
      const caused = this.#steps.causedBy(before, world);
      await this.#save(world, caused);
      await this.#steps.changed(before, world, caused);
      return result;
    });
  }

  /**
   * Replaces the world, which is not an event.
   * @throws {Refusal} `not-saved`; the world is unchanged then
   */
  replace(world: World): Promise<void> {
    return this.#inTurn(() => this.#save(world, []));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #save(world: World, caused: readonly EventEntry[]): Promise<void> {
    try {
      await this.#steps.save(world, caused);
    } catch (error) {
      throw new Refusal("not-saved", "The change could not be saved, so it was not made.", {
        causes: [error instanceof Error ? error.message : String(error)],
      });
    }
    this.#world = world;
  }
}
