import type { Waited } from "../../documents/routing.ts";
import { graceAfter } from "../../runtime/end-process.ts";
import { asList, derived } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import type { LiveRecord } from "../model/resource.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { LockedState } from "../state/backend.ts";
import { openStateManager, type StateManager } from "../state/manager.ts";
import { type Entry, ownerOf } from "../state/state.ts";
import { createHorizons, type Horizons } from "./observe.ts";
import { RunOutcomes } from "./outcomes.ts";
import type { EngineEvent, EnginePorts } from "./types.ts";

/**
 * Takes the lock. In: the ports. Out: a run, with the state loaded and checked, which everything
 * that writes needs.
 */
export interface Run {
  readonly ports: EnginePorts;
  readonly locked: LockedState;
  readonly manager: StateManager;
  readonly outcomes: RunOutcomes;
  readonly horizons: Horizons;
  /** The signal for writes; it is aborted later than the one that ends the run. */
  readonly writeSignal: AbortSignal;
  /** The owner of what it creates. */
  readonly owner: Entry["owner"];
  /** The records as the answers to the writes of this run show them, by place. */
  readonly records: Map<string, LiveRecord>;
  /** What was waited for, once each. */
  readonly waited: ReadonlyMap<string, Waited>;
}

/** The time that a write in flight may continue after a signal. */
const WRITE_GRACE_MS = 5_000;

/** Runs work under the lock, with the state loaded and checked. */
export function withRun<Result>(
  given: EnginePorts,
  by: Pick<RoutingModel, "name"> | "person",
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const waited = new Map<string, Waited>();
  const onEvent = (event: EngineEvent) => {
    if (event.type === "waiting") {
      const { address, why } = event;
      waited.set(`${address} ${why}`, { address, why });
    }
    given.onEvent(event);
  };
  const ports = derived(given, { onEvent });
  const { backend, options, command, signal } = ports;
  return backend.withLock({ command, wait: options.lockWaitMs, signal }, async (locked) => {
    const time = ports.now().toISOString();
    const routing = by === "person" ? undefined : by.name;
    const head = { time, command, ...ports.history, ...defined({ routing }) };
    const facts = { location: backend.location, run: head };
    const manager = await openStateManager(locked, derived(ports, facts));
    const grace = graceAfter(signal, (until) => ports.sleep(WRITE_GRACE_MS, until));
    try {
      return await work({
        ports,
        locked,
        manager,
        outcomes: new RunOutcomes(ports, manager),
        horizons: createHorizons(ports),
        writeSignal: AbortSignal.any(asList(grace.signal, ports.urgentSignal)),
        owner: by === "person" ? "person" : ownerOf(by),
        records: new Map(),
        waited,
      });
    } finally {
      grace.end();
      await manager.close();
    }
  });
}
