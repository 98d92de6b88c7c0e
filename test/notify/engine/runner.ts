import { AmpError } from "../../../src/errors.ts";
import type { EngineOptions, Receipt } from "../../../src/notify/engine/types.ts";
import type { Address } from "../../../src/notify/model/address.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import type { RecordedRun } from "../../../src/notify/state/history.ts";
import { lookAt, planUndo } from "../../../src/notify/undo.ts";
import { defined } from "../../../src/values/json.ts";
import { type EngineWorld, newWorld, stateOf } from "./engine-world.ts";
import { type ProcessFate, SimulatedProcess } from "./simulated-process.ts";
import type { ServiceOptions } from "./simulated-service.ts";
import { runSingle, type SingleCommand } from "./singles.ts";

/** What a run is started with. */
export interface Started extends Pick<EngineOptions, "prune" | "accept"> {
  readonly model: RoutingModel;
}

/** A run that came to its end. */
export interface Done {
  /** The IDs of what it was to delete, and kept. */
  readonly kept: readonly string[];
  /** The addresses whose values the service does not keep, as far as amp says so. */
  notKept(): Promise<readonly Address[]>;
  /** Whether an undo says that all is as it was before. */
  readonly isUndone: boolean;
}

/** A run that did not. */
export interface Failed {
  readonly exit: string;
  readonly text: string;
  /** What only a person can say, with the IDs that were offered. */
  readonly unknown: readonly { readonly address: Address; readonly ids?: readonly string[] }[];
}

export type End = (({ readonly done: Done } | { readonly failed: Failed }) & Told) | "killed";

interface Told {
  /** The IDs of new records that may be amp's, and were told as such. */
  readonly told?: readonly string[];
}

/** How sequences run amp. */
export interface Runner {
  newWorld(options: Partial<ServiceOptions>): EngineWorld;
  apply(world: EngineWorld, started: Started, fate: ProcessFate): Promise<End>;
  /** Undoes the run with an ID, which the history has. */
  undo(world: EngineWorld, id: string, fate: ProcessFate): Promise<End>;
  /** Runs a single command, without questions. */
  single(world: EngineWorld, command: SingleCommand, fate: ProcessFate): Promise<End>;
  /** Sets up a routing of one topic and one destination, without questions. */
  setUp(world: EngineWorld, model: RoutingModel, fate: ProcessFate): Promise<End>;
}

/** The engine, in this process. */
export const IN_PROCESS: Runner = {
  newWorld,
  apply: (world, { model, ...options }, fate) => {
    const process = new SimulatedProcess(world, fate, options);
    return endOf(process, () => process.engine.apply(model));
  },
  undo: async (world, id, fate) => {
    const state = stateOf(world);
    const recorded = state.runs?.get(id) as RecordedRun;
    const { ports } = new SimulatedProcess(world);
    const planned = await planUndo(state, id, recorded, lookAt(ports)).catch(failedBy);
    if ("failed" in planned) return planned;
    const options = { prune: true, undo: planned.remove };
    const process = new SimulatedProcess(world, fate, options, { undoes: id });
    return endOf(process, () => process.engine.apply(emptyFile(recorded.routing)), planned.stays);
  },
  single: async (world, command, fate) => {
    const process = new SimulatedProcess(world, fate);
    const outcome = await process.outcomeOf(runSingle(process.ports, command));
    if (outcome === "killed") return outcome;
    const told = toldOf(process);
    if ("error" in outcome) return { ...failedBy(outcome.error), told };
    return { told, done: { kept: [], notKept: async () => [], isUndone: false } };
  },
  setUp: (world, model, fate) => {
    const process = new SimulatedProcess(world, fate, { parallel: 1 });
    return endOf(process, () => process.engine.apply(model));
  },
};

/** A file with nothing. */
export function emptyFile(name: string | undefined): RoutingModel {
  return { ...defined({ name }), destinations: new Map(), topics: new Map() };
}

function failedBy(error: unknown): { readonly failed: Failed } {
  if (!(error instanceof AmpError)) throw error;
  const { message, exit, facts } = error;
  const text = [message, facts.detail].filter(Boolean).join(": ");
  return { failed: { exit, text, unknown: (facts.data?.unknown ?? []) as Failed["unknown"] } };
}

function toldOf({ events }: SimulatedProcess): string[] {
  return events.flatMap((event) =>
    event.type === "settled" ? (event.settled.others ?? []).map(({ id }) => id) : [],
  );
}

async function endOf(
  process: SimulatedProcess,
  work: () => Promise<Receipt>,
  left: readonly string[] = [],
): Promise<End> {
  const outcome = await process.outcomeOf(work());
  if (outcome === "killed") return outcome;
  const told = toldOf(process);
  if ("error" in outcome) return { ...failedBy(outcome.error), told };
  const plan = process.events.findLast((event) => event.type === "planned")?.plan;
  const { items = [], kept = [], others = [] } = plan ?? {};
  const isReleased = items.some(({ action }) => action === "release");
  return {
    told,
    done: {
      kept: kept.map(({ id }) => id),
      notKept: async () => items.flatMap((one) => ("notKept" in one ? one.address : [])),
      isUndone: !isReleased && left.length + kept.length + others.length === 0,
    },
  };
}
