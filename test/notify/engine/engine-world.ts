import { AmpError } from "../../../src/errors.ts";
import type { EngineOptions, Receipt } from "../../../src/notify/engine/types.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { parseState } from "../../../src/notify/state/format.ts";
import type { Pending, RoutingState } from "../../../src/notify/state/state.ts";
import type { CreateFault } from "./create-faults.ts";
import { EIGHT } from "./routings.ts";
import { type Clock, createClock } from "./simulated-clock.ts";
import { type Disk, emptyDisk, type ProcessFate, SimulatedProcess } from "./simulated-process.ts";
import { type ServiceOptions, SimulatedService } from "./simulated-service.ts";

/** All that outlives a process. */
export interface EngineWorld {
  readonly clock: Clock;
  readonly service: SimulatedService;
  readonly disk: Disk;
}

/** A world in which nothing has happened. */
export function newWorld(options: Partial<ServiceOptions> = {}): EngineWorld {
  const clock = createClock();
  return { clock, service: new SimulatedService(clock, options), disk: emptyDisk() };
}

/** A world whose service meets these faults, by the number of the create. */
export function worldWith(
  faults: Readonly<Record<number, CreateFault>>,
  options: Partial<ServiceOptions> = {},
): EngineWorld {
  const entries = Object.entries(faults).map(([nth, fault]) => [Number(nth), fault] as const);
  return newWorld({ ...options, faults: new Map(entries) });
}

/** An apply that comes to its end. */
export async function apply(
  world: EngineWorld,
  { model = EIGHT, ...options }: Partial<EngineOptions> & { model?: RoutingModel } = {},
): Promise<Receipt> {
  return new SimulatedProcess(world, {}, options).engine.apply(model);
}

/** An apply that does not come to its end. */
export async function failedApply(
  world: EngineWorld,
  { model = EIGHT, ...options }: Partial<EngineOptions> & { model?: RoutingModel } = {},
  fate: ProcessFate = {},
): Promise<{ readonly error: AmpError; readonly process: SimulatedProcess }> {
  const process = new SimulatedProcess(world, fate, options);
  return { error: await errorOf(process.engine.apply(model)), process };
}

/** What a work that fails fails with. */
export async function errorOf(work: Promise<unknown>): Promise<AmpError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AmpError) return error;
  throw new Error("it did not fail as it should", { cause: error });
}

/** The state that is saved. */
export function stateOf({ disk }: Pick<EngineWorld, "disk">): RoutingState {
  return parseState(disk.text ?? "", "memory");
}

/** The writes of unknown outcome that are saved. */
export function pendingOf(world: Pick<EngineWorld, "disk">): readonly Pending[] {
  return [...stateOf(world).entries.values()].flatMap(({ pending }) => pending ?? []);
}
