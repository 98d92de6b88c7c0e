import type { Change } from "./change.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

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
