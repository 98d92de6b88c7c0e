import type { Api } from "../../../src/api/operations/endpoint.ts";
import { ConflictError, InterruptedError, ServiceError } from "../../../src/errors.ts";
import { createEngine, type Engine } from "../../../src/notify/engine/engine.ts";
import type { EngineEvent, EngineOptions, EnginePorts } from "../../../src/notify/engine/types.ts";
import type { LockedState, StateBackend } from "../../../src/notify/state/backend.ts";
import { createServiceClock } from "../../../src/values/service-clock.ts";
import { ownedBy } from "../state/state-fixture.ts";
import type { Clock } from "./simulated-clock.ts";
import type { SimulatedService } from "./simulated-service.ts";

/** Where a state is kept, and who holds its lock; survives the processes that use it. */
export interface Disk {
  text: string | undefined;
  /** Numbers of the processes that had the lock; the last one has it, unless it gave it back. */
  holder: number | undefined;
  generation: number;
}

/** A disk on which nothing was saved yet. */
export function emptyDisk(): Disk {
  return { text: undefined, holder: undefined, generation: 0 };
}

/** What befalls a process. */
export interface ProcessFate {
  /** It is killed at this of its steps, from 1: no line of it runs after that. */
  readonly crashAt?: number;
  /** It stands still after this of its saves, from 1, while this goes on; its lock is taken away. */
  readonly sleepAfter?: { readonly save: number; readonly meanwhile: () => Promise<void> };
  /** Saves that fail, from 1. */
  readonly failedSaves?: ReadonlySet<number>;
  /** Called before each step. */
  readonly atStep?: (step: number) => void;
  /** Resolves when it is its turn: each step waits for one. */
  readonly turn?: () => Promise<void>;
}

export const TARGET = { origin: "https://api.example.com", basePath: "/v1", project: "acme" };

/** How often a process that waits for the lock looks. */
const LOCK_POLL_MS = 500;

let processes = 0;

/** The options of an engine that creates what is missing, and changes or deletes nothing. */
export const ENGINE_OPTIONS: EngineOptions = {
  parallel: 4,
  commitHorizonMs: 60_000,
  answerMs: 30_000,
  lockWaitMs: 0,
  prune: false,
  accept: [],
};

/** A process that runs the engine once, with what it has told. */
export class SimulatedProcess {
  readonly number = ++processes;
  readonly events: EngineEvent[] = [];
  readonly engine: Engine;
  /** For what a command does through the state without the engine. */
  readonly ports: EnginePorts;
  readonly interrupt = new AbortController();
  /** Aborted by a second signal. */
  readonly urge = new AbortController();
  /** Resolves when it is killed. */
  readonly killed: Promise<"killed">;
  steps = 0;
  saves = 0;
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #fate: ProcessFate;
  #alive = true;
  #die: () => void = () => {};
  #uuids = 0;

  constructor(
    world: {
      readonly disk: Disk;
      readonly service: Pick<SimulatedService, "api">;
      readonly clock: Clock;
    },
    fate: ProcessFate = {},
    options: Partial<EngineOptions> = {},
    history: NonNullable<EnginePorts["history"]> = {},
  ) {
    this.#disk = world.disk;
    this.#clock = world.clock;
    this.#fate = fate;
    this.killed = new Promise((resolve) => {
      this.#die = () => resolve("killed");
    });
    const { clock, service } = world;
    const serviceClock = createServiceClock(
      () => clock.elapsed(),
      () => clock.now().getTime(),
    );
    const ports: EnginePorts = {
      api: this.#guardedApi(service.api(serviceClock)),
      project: "acme",
      ...ownedBy(TARGET),
      backend: this.#backend(),
      command: "amp notify apply",
      history,
      signal: this.interrupt.signal,
      urgentSignal: this.urge.signal,
      // A folder that cannot be: what is rescued there is lost.
      rescueFolder: "/dev/null/none",
      options: { ...ENGINE_OPTIONS, ...options },
      now: () => world.clock.now(),
      serviceTime: serviceClock.now,
      elapsed: () => world.clock.elapsed(),
      sleep: (ms, signal) => this.#guard(() => world.clock.sleep(ms, signal)),
      uuid: () => `uuid-${this.number}-${++this.#uuids}`,
      onEvent: (event) => this.events.push(event),
    };
    this.ports = ports;
    this.engine = createEngine(ports);
  }

  /** Ends it there and then. */
  kill(): void {
    this.#alive = false;
    this.#die();
  }

  /** The end of some work of it, or `killed`. */
  async outcomeOf<Result>(work: Promise<Result>): Promise<Outcome<Result>> {
    return Promise.race([
      this.killed,
      work.then(
        (result): Outcome<Result> => ({ result }),
        (error: unknown): Outcome<Result> => ({ error }),
      ),
    ]);
  }

  /** A step: killed before it, or after it, it never comes back. */
  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#step();
    try {
      const result = await work();
      await this.#step();
      return result;
    } catch (error) {
      await this.#step();
      throw error;
    }
  }

  async #step(): Promise<void> {
    await this.#fate.turn?.();
    this.steps += 1;
    if (this.#alive) this.#fate.atStep?.(this.steps);
    if (this.steps === this.#fate.crashAt) this.kill();
    if (!this.#alive) await new Promise(() => {});
  }

  #guardedApi(api: Api): Api {
    const call = (...words: Parameters<Api["call"]>) =>
      this.#guard(() => {
        // The signal of a process ends its reads.
        const isEnded = words[0].method === "GET" && this.interrupt.signal.aborted;
        return isEnded ? Promise.reject(new InterruptedError("Interrupted")) : api.call(...words);
      });
    return { ...api, call: call as Api["call"] };
  }

  #backend(): StateBackend {
    const disk = this.#disk;
    return {
      location: "memory",
      local: true,
      read: () => this.#guard(async () => disk.text),
      unlock: async () => {
        disk.holder = undefined;
      },
      withLock: async ({ wait }, work) => {
        const generation = await this.#guard(() => this.#lockWithin(wait));
        try {
          return await work(this.#held(generation));
        } finally {
          await this.#guard(async () => {
            if (disk.generation === generation) disk.holder = undefined;
          });
        }
      },
    };
  }

  #isLocked(): boolean {
    const { holder } = this.#disk;
    return holder !== undefined && living.has(holder);
  }

  async #lockWithin(wait: number): Promise<number> {
    const until = this.#clock.elapsed() + wait;
    while (this.#isLocked() && this.#clock.elapsed() < until) await this.#clock.sleep(LOCK_POLL_MS);
    return this.#lock();
  }

  #lock(): number {
    const disk = this.#disk;
    if (this.#isLocked()) throw new ConflictError("locked");
    disk.holder = this.number;
    disk.generation += 1;
    living.add(this.number);
    void this.killed.then(() => living.delete(this.number));
    return disk.generation;
  }

  #held(generation: number): LockedState {
    const disk = this.#disk;
    const check = async () => {
      if (disk.generation !== generation) throw new ConflictError("the lock is lost");
    };
    return {
      read: () => this.#guard(async () => disk.text),
      check: () => this.#guard(check),
      write: (text) =>
        this.#guard(async () => {
          await check();
          this.saves += 1;
          await this.#clock.sleep(2);
          // Another step of it was the last one.
          if (!this.#alive) return new Promise(() => {});
          if (this.#fate.failedSaves?.has(this.saves)) throw new ServiceError("the disk is full");
          disk.text = text;
          const { sleepAfter } = this.#fate;
          if (this.saves === sleepAfter?.save) {
            disk.holder = undefined;
            await sleepAfter.meanwhile();
          }
        }),
    };
  }
}

/** Those that hold a lock and have not been killed. */
const living = new Set<number>();

/** How a process ended. */
export type Outcome<Result> = "killed" | { readonly result: Result } | { readonly error: unknown };
