import { AmpError } from "../../errors.ts";
import type { Address } from "../address.ts";
import type { HeldPlace, SavePhase } from "./backend.ts";
import { parseState, stateText } from "./format.ts";
import { type Rescue, rescueState } from "./rescue.ts";
import type { KnownRecord, PendingCreate, RoutingState, StateTarget } from "./state.ts";
import { checkTarget, newState } from "./target.ts";
import * as transitions from "./transitions.ts";

/** What a journal begins with. */
export interface JournalParts {
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
export interface Journal {
  /** What is known and saved, or known and rescued. */
  readonly state: RoutingState;
  setLists(lists: boolean): Promise<void>;
  /**
   * To be awaited before the request is sent.
   * @throws the place's error: nothing may be sent then, and the state is without it
   */
  intend(address: Address, pending: PendingCreate): Promise<void>;
  /**
   * The outcome is known: it exists.
   * @returns undefined where it is saved; else what the user must be told. Never throws.
   */
  settle(address: Address, record: KnownRecord): Promise<Rescue | undefined>;
  /** It was refused, or never sent: the intent is gone. @throws the place's error */
  drop(address: Address): Promise<void>;
  /** It was sent, and no good answer came. @throws the place's error */
  markUnknown(
    address: Address,
    facts: { readonly horizon: string; readonly requestId?: string },
  ): Promise<void>;
  /** The record is there no more. @throws the place's error */
  forget(address: Address): Promise<void>;
}

type Change = (state: RoutingState) => RoutingState;

interface Waiting {
  readonly change: Change;
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
export async function openJournal(held: HeldPlace, parts: JournalParts): Promise<Journal> {
  const { target, place, uuid, rescueFolder } = parts;
  const text = await held.read();
  const saved = text === undefined ? newState(target, uuid(), uuid()) : parseState(text, place);
  checkTarget(saved, target);

  let state = saved;
  /** Of the last attempt: one that failed may have arrived all the same. */
  let serial = saved.serial;
  let waiting: Waiting[] = [];
  let saving = false;

  function enqueue(phase: SavePhase, change: Change, address?: Address) {
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

  async function saveBatch(batch: readonly Waiting[]): Promise<void> {
    const intents = batch.filter(({ phase }) => phase === "intent");
    const results = batch.filter(({ phase }) => phase === "result");
    const failure = await save(changed(batch), intents.length > 0 ? "intent" : "result");
    if (failure === undefined) return finish(batch, undefined);
    if (intents.length > 0) {
      finish(intents, { error: nothingSent(failure.error, intents) });
      if (results.length > 0) await saveBatch(results);
      return;
    }
    state = { ...changed(results), serial };
    const found = results.some(({ address }) => address !== undefined);
    finish(results, found ? await rescueState(state, failure.error, rescueFolder) : failure);
  }

  function changed(batch: readonly Waiting[]): RoutingState {
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
    intend: (address, pending) =>
      surely(enqueue("intent", transitions.intended(address, pending), address)),
    settle: (address, record) => enqueue("result", transitions.settled(address, record), address),
    drop: (address) => surely(enqueue("result", transitions.dropped(address))),
    markUnknown: (address, facts) =>
      surely(enqueue("result", transitions.unknownOutcome(address, facts))),
    forget: (address) => surely(enqueue("result", transitions.forgotten(address))),
  };
}

function finish(batch: readonly Waiting[], rescue: Rescue | undefined): void {
  for (const waiting of batch) waiting.finish(rescue);
}

function nothingSent(error: unknown, intents: readonly Waiting[]): unknown {
  const addresses = intents.flatMap(({ address }) => address ?? []);
  if (!(error instanceof AmpError) || addresses.length === 0) return error;
  return error.with({ done: `Nothing was sent for ${addresses.join(", ")}.` });
}
