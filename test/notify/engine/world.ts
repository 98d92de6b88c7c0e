import { AmpError } from "../../../src/errors.ts";
import type { EngineOptions, Receipt } from "../../../src/notify/engine/engine.ts";
import type { RoutingModel } from "../../../src/notify/model.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import type { RoutingState } from "../../../src/notify/state/state.ts";
import type { Fault } from "./answer.ts";
import { type Clock, createClock } from "./clock.ts";
import { type Disk, emptyDisk, type Fate, Process } from "./process.ts";
import { EIGHT } from "./routings.ts";
import { Service, type ServiceOptions } from "./service.ts";

/** All that outlives a process. */
export interface World {
  readonly clock: Clock;
  readonly service: Service;
  readonly disk: Disk;
}

/** A world in which nothing has happened. */
export function newWorld(options: Partial<ServiceOptions> = {}): World {
  const clock = createClock();
  return { clock, service: new Service(clock, options), disk: emptyDisk() };
}

/** A world whose service meets these faults, by the number of the create. */
export function worldWith(
  faults: Readonly<Record<number, Fault>>,
  options: Partial<ServiceOptions> = {},
): World {
  const entries = Object.entries(faults).map(([nth, fault]) => [Number(nth), fault] as const);
  return newWorld({ ...options, faults: new Map(entries) });
}

/** An apply that comes to its end. */
export async function apply(
  world: World,
  { model = EIGHT, ...options }: Partial<EngineOptions> & { model?: RoutingModel } = {},
): Promise<Receipt> {
  return new Process(world, {}, options).engine.apply(model);
}

/** An apply that does not come to its end. */
export async function failedApply(
  world: World,
  { model = EIGHT, ...options }: Partial<EngineOptions> & { model?: RoutingModel } = {},
  fate: Fate = {},
): Promise<{ readonly error: AmpError; readonly process: Process }> {
  const process = new Process(world, fate, options);
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
export function stateOf({ disk }: Pick<World, "disk">): RoutingState {
  return parseState(disk.text ?? "", "memory");
}

/** Changes what is saved, as a command does. */
export function changeState(
  { disk }: Pick<World, "disk">,
  change: (state: RoutingState) => RoutingState,
): void {
  const state = change(stateOf({ disk }));
  disk.text = stateText({ ...state, serial: state.serial + 1 });
}

/** The creates that the service has seen, by kind. */
export function created({ service }: World): readonly string[] {
  return service.creates.map(({ kind }) => kind);
}
