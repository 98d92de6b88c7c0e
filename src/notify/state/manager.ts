import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileDurably } from "../../durable/write-file.ts";
import { AmpError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import type { LockedState, SavePhase } from "./backend.ts";
import { parseStateOf, stateText } from "./format.ts";
import * as transitions from "./state.ts";
import {
  type KnownRecord,
  newState,
  type PendingCreate,
  type RoutingState,
  type StateTarget,
} from "./state.ts";

/** What a journal begins with. */
export interface StateManagerOptions {
  readonly target: StateTarget;
  /** For messages. */
  readonly place: string;
  /** A UUID: names a state that is new. */
  uuid(): string;
  /** Where results go that cannot be saved; by default the system's folder for temporary files. */
  readonly rescueFolder?: string;
}

/**
 * The state of a run while its lock is held. Every change resolves once it is saved; several may
 * be under way at once, and share saves. Each save has a higher serial than all before.
 */
export interface StateManager {
  /** What is known and saved, or known and rescued. */
  readonly state: RoutingState;
  setLists(lists: boolean): Promise<void>;
  /**
   * To be awaited before the request is sent.
   * @throws the place's error: nothing may be sent then, and the state is without it
   */
  recordIntent(address: Address, pending: PendingCreate): Promise<void>;
  /**
   * The outcome is known: it exists.
   * @returns undefined where it is saved; else what the user must be told. Never throws.
   */
  recordResult(address: Address, record: KnownRecord): Promise<Rescue | undefined>;
  /** It was refused, or never sent: the intent is gone. @throws the place's error */
  dropIntent(address: Address): Promise<void>;
  /** It was sent, and no good answer came. @throws the place's error */
  markUnknown(
    address: Address,
    facts: { readonly horizon: string; readonly requestId?: string },
  ): Promise<void>;
  /** The record is there no more. @throws the place's error */
  removeRecord(address: Address): Promise<void>;
}

type ApplyChange = (state: RoutingState) => RoutingState;

interface QueuedChange {
  readonly change: ApplyChange;
  /**
   * An `intent` that cannot be saved has not come about. A `result` is a fact: it stays in memory,
   * and every later save holds it.
   */
  readonly phase: SavePhase;
  /** Of an intent: what may be sent once it is saved. Of a result: what must not be lost. */
  readonly address?: Address;
  readonly finish: (rescue: Rescue | undefined) => void;
}

/**
 * Reads what is saved, or begins a state.
 * @throws {UsageError} for what is no whole state
 * @throws {ConflictError} for the state of another target
 */
export async function openStateManager(
  held: LockedState,
  parts: StateManagerOptions,
): Promise<StateManager> {
  const { target, place, uuid, rescueFolder } = parts;
  const text = await held.read();
  const saved =
    text === undefined ? newState(target, uuid(), uuid()) : parseStateOf(target, text, place);

  let state = saved;
  /** Of the last attempt: one that failed may have arrived all the same. */
  let serial = saved.serial;
  let waiting: QueuedChange[] = [];
  let saving = false;

  function enqueue(phase: SavePhase, change: ApplyChange, address?: Address) {
    const { promise, resolve } = Promise.withResolvers<Rescue | undefined>();
    waiting.push({ change, phase, finish: resolve, ...(address ? { address } : {}) });
    if (!saving) void saveAll();
    return promise;
  }

  async function saveAll(): Promise<void> {
    saving = true;
    // What comes in the same turn shares the save: a result, and the intent that follows it.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await saveBatch(batch);
    }
    saving = false;
  }

  async function saveBatch(batch: readonly QueuedChange[]): Promise<void> {
    const intents = batch.filter(({ phase }) => phase === "intent");
    const results = batch.filter(({ phase }) => phase === "result");
    const failure = await save(changed(batch), intents.length > 0 ? "intent" : "result");
    if (failure === undefined) return resolveAll(batch, undefined);
    if (intents.length > 0) {
      resolveAll(intents, { error: withNothingSent(failure.error, intents) });
      if (results.length > 0) await saveBatch(results);
      return;
    }
    state = { ...changed(results), serial };
    const found = results.some(({ address }) => address !== undefined);
    resolveAll(results, found ? await rescueState(state, failure.error, rescueFolder) : failure);
  }

  function changed(batch: readonly QueuedChange[]): RoutingState {
    return batch.reduce((current, { change }) => change(current), state);
  }

  async function save(next: RoutingState, phase: SavePhase) {
    serial += 1;
    const numbered = { ...next, serial };
    try {
      await held.write(stateText(numbered), phase);
    } catch (error) {
      return { error };
    }
    state = numbered;
    return undefined;
  }

  async function surely(saved: Promise<Rescue | undefined>): Promise<void> {
    const rescue = await saved;
    if (rescue) throw rescue.error;
  }

  return {
    get state() {
      return state;
    },
    setLists: async (lists) => {
      if (state.lists === lists) return;
      await surely(enqueue("intent", (now) => ({ ...now, lists })));
    },
    recordIntent: (address, pending) =>
      surely(enqueue("intent", transitions.withIntent(address, pending), address)),
    recordResult: (address, record) =>
      enqueue("result", transitions.withRecord(address, record), address),
    dropIntent: (address) => surely(enqueue("result", transitions.withoutIntent(address))),
    markUnknown: (address, facts) =>
      surely(enqueue("result", transitions.withUnknownOutcome(address, facts))),
    removeRecord: (address) => surely(enqueue("result", transitions.withoutRecord(address))),
  };
}

function resolveAll(batch: readonly QueuedChange[], rescue: Rescue | undefined): void {
  for (const waiting of batch) waiting.finish(rescue);
}

function withNothingSent(error: unknown, intents: readonly QueuedChange[]): unknown {
  const addresses = intents.flatMap(({ address }) => address ?? []);
  if (!(error instanceof AmpError) || addresses.length === 0) return error;
  return error.with({ done: `Nothing was sent for ${addresses.join(", ")}.` });
}

/** What became of a result that could not be saved in its place. */
export interface Rescue {
  /** The file that holds the whole state with it; absent where none could be written either. */
  readonly where?: string;
  /** Why it could not be saved. */
  readonly error: unknown;
}

/**
 * Writes the state into the temporary folder, the last place before the terminal. The name tells
 * the serial, so that nothing that was rescued earlier is replaced.
 */
export async function rescueState(
  state: RoutingState,
  error: unknown,
  folder: string = tmpdir(),
): Promise<Rescue> {
  const where = join(folder, `amp-errored-${state.lineage}-${state.serial}.json`);
  try {
    await writeFileDurably(where, stateText(state));
    return { where, error };
  } catch {
    return { error };
  }
}
