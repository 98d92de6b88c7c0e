import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileDurably } from "../../durable/write-file.ts";
import { AmpError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import type { LockedState, SavePhase, StateJournal } from "./backend.ts";
import {
  copyOf,
  entryAt,
  type OwnState,
  type Place,
  type StateChange,
  setEntries,
  withEntry,
  withHistory,
} from "./change.ts";
import {
  assertRoomForSaves,
  journalHeader,
  journalIdOf,
  journalLine,
  parseState,
  stateText,
} from "./format.ts";
import { type RunChange, type RunHead, runRecorder } from "./history.ts";
import {
  type Entry,
  newState,
  type RoutingState,
  type StateEntry,
  type StateTarget,
} from "./state.ts";

/** The facts that a state manager is opened with. */
export interface StateManagerOptions {
  /** The target of a new state, with the project's ID. */
  readonly newTarget: () => Promise<StateTarget>;
  /**
   * @throws {ConflictError} for the state of another project, also of one that had its name before
   */
  readonly assertOwn: (state: RoutingState) => Promise<void>;
  /** The location for messages. */
  readonly location: string;
  /** A UUID, for the lineage and the key of a new state, and for a journal. */
  uuid(): string;
  /** The run, for the history of the state; absent: nothing is recorded. */
  readonly run?: RunHead;
  /** The name of temporary resources: nobody needs to undo what is removed anyway. */
  readonly temporary?: string | undefined;
  /** The folder for states that cannot be saved; by default the system's temporary folder. */
  readonly rescueFolder?: string;
}

/**
 * The state of a run while its lock is held. Every change resolves once it is saved; changes may be
 * made in parallel, and then share saves. Each save has a higher serial than all before it.
 */
export type StateManager = Awaited<ReturnType<typeof openStateManager>>;

interface QueuedChange {
  readonly change: StateChange;
  /**
   * An `intent` that cannot be saved is discarded. A `result` is a fact: it stays in memory, and
   * every later save contains it.
   */
  readonly phase: SavePhase;
  /** The resource whose write may be sent after an intent, or whose ID a result must not lose. */
  readonly address?: Address;
  readonly finish: (rescue: RescuedSave | undefined) => void;
}

/**
 * Reads the saved state, or begins a new one.
 * @throws {UsageError} if the saved text is not a whole state
 * @throws {ConflictError} for the state of another target
 */
export async function openStateManager(locked: LockedState, options: StateManagerOptions) {
  const { uuid, rescueFolder, run } = options;
  const text = await locked.read();
  const saved = await savedOrNew(text, options);
  assertRoomForSaves(saved.serial, options.location);
  const state = copyOf(saved);
  const { enqueue, close } = saveQueue(state, stateSaver(locked, text, uuid), rescueFolder);
  const runOf = run && runRecorder(run, options.temporary, state);
  const recorded = (place: Place, change: StateChange, made: RunChange | undefined) => {
    if (made === undefined) return change;
    const { run: by = runOf?.(made.address), was } = entryAt(state, place)?.pending ?? {};
    return by === undefined ? change : withHistory(change, by, { ...made, ...(was && { was }) });
  };

  const saveIfChanged = async (phase: SavePhase, change: StateChange) => {
    if (change(state).length > 0) await orThrow(enqueue(phase, change));
  };

  return {
    /** The state with every result that is known, whether it is saved or rescued. */
    state: state as RoutingState,
    /**
     * Saves what must be known before anything is sent, such as moved entries.
     * @throws the backend's error: the state is then without the change
     */
    prepare: (change: StateChange) => saveIfChanged("intent", change),
    /**
     * Saves what became known of writes, such as that one was refused.
     * @throws the backend's error: the state has the change all the same, and later saves contain it
     */
    note: (change: StateChange) => saveIfChanged("result", change),
    /**
     * Saves that a write is about to be sent; the request must wait for it.
     * @param entry with the write that is begun
     * @throws the backend's error: nothing may be sent then, and the state is without the intent
     */
    recordIntent: async (place: Place, entry: Entry & Required<Pick<Entry, "pending">>) => {
      const run = runOf?.(place.address);
      const intent = { ...entry, pending: { ...entry.pending, ...(run && { run }) } };
      // guard: the intent write
      await orThrow(enqueue("intent", withEntry(place, intent), place.address));
    },
    /**
     * Saves what a write has done. Never throws.
     * @param made the change for the history
     * @returns undefined if it is saved; otherwise facts for a message to the user
     */
    recordResult: (place: Place, change: StateChange, made?: RunChange) =>
      enqueue("result", recorded(place, change, made), place.address),
    /** Ends the saving, once no change is under way. Never throws: all that is saved stays saved. */
    close,
  };
}

/** The state of a text, which must be the project's own; a new one where nothing was saved yet. */
export async function savedOrNew(
  text: string | undefined,
  { newTarget, assertOwn, location, uuid }: StateManagerOptions,
): Promise<RoutingState> {
  if (text === undefined) return newState(await newTarget(), uuid(), uuid());
  const saved = parseState(text, location);
  await assertOwn(saved);
  return saved;
}

/** Saves the changes of a state, one batch after the other. */
function saveQueue(state: OwnState, saver: ReturnType<typeof stateSaver>, rescueFolder?: string) {
  // The serial of the last attempt to save: one that failed may have arrived all the same.
  let { serial } = state;
  let queue: QueuedChange[] = [];
  let isSaving = false;

  function enqueue(phase: SavePhase, change: StateChange, address?: Address) {
    const { promise, resolve } = Promise.withResolvers<RescuedSave | undefined>();
    queue.push({ change, phase, finish: resolve, ...(address ? { address } : {}) });
    if (!isSaving) void saveAll();
    return promise;
  }

  async function saveAll(): Promise<void> {
    isSaving = true;
    // Changes of the same turn share the save: a result, and the intent that follows it.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      await saveBatch(batch);
    }
    isSaving = false;
  }

  async function saveBatch(batch: readonly QueuedChange[]): Promise<void> {
    const intents = batch.filter(({ phase }) => phase === "intent");
    const results = batch.filter(({ phase }) => phase === "result");
    const { entries, before } = changeWith(state, batch);
    serial += 1;
    const phase = intents.length > 0 ? "intent" : "result";
    const saving = saver.save({ ...state, serial }, entries, phase);
    const failure = await saving.catch((error: unknown) => ({ error }));
    if (!failure) {
      state.serial = serial;
      return resolveAll(batch, undefined);
    }
    if (intents.length > 0) {
      setEntries(state, before);
      resolveAll(intents, { error: withNothingSent(failure.error, intents) });
      return results.length > 0 ? saveBatch(results) : undefined;
    }
    state.serial = serial;
    const hasRecords = results.some(({ address }) => address !== undefined);
    const rescue = hasRecords ? await rescueState(state, failure.error, rescueFolder) : failure;
    resolveAll(results, rescue);
  }

  return { enqueue, close: () => saver.close({ ...state, serial }) };
}

/** Makes changes in turn. @returns what they set, and what undoes them */
function changeWith(state: OwnState, batch: readonly QueuedChange[]) {
  const before: StateEntry[] = [];
  const entries = batch.flatMap(({ change }) => {
    const set = change(state);
    before.unshift(...setEntries(state, set));
    return set;
  });
  return { entries, before };
}

async function orThrow(saving: Promise<RescuedSave | undefined>): Promise<void> {
  const rescue = await saving;
  if (rescue) throw rescue.error;
}

function resolveAll(batch: readonly QueuedChange[], rescue: RescuedSave | undefined): void {
  for (const { finish } of batch) finish(rescue);
}

function withNothingSent(error: unknown, intents: readonly QueuedChange[]): unknown {
  const addresses = intents.flatMap(({ address }) => address ?? []);
  if (!(error instanceof AmpError) || addresses.length === 0) return error;
  return error.setFacts({ done: `Nothing was sent for ${addresses.join(", ")}.` });
}

/** The size of a journal, beyond that of its snapshot, from which a new snapshot is saved. */
const MAX_JOURNAL_CHARACTERS = 2 ** 20;

/**
 * Saves a state whole, or only its changes where the location can hold a journal. A journal begins
 * with the second save of a run, since for a single one it is not worth it, and ends with the run:
 * a state at rest is one JSON text.
 *
 * The snapshot that names a journal replaces one that needs none, and the other way around, each at
 * once. At any moment the saved state is either a snapshot alone or one with its own journal.
 *
 * @param saved the text that was read
 * @param uuid makes the ID of a journal
 */
function stateSaver(locked: LockedState, saved: string | undefined, uuid: () => string) {
  const { journal } = locked;
  /** `needed`: the saved snapshot may name the journal, which takes no more lines. */
  let use: "none" | "open" | "needed" = journalIdOf(saved ?? "") === undefined ? "none" : "needed";
  let hasSaved = false;
  let room = 0;

  async function saveWhole(state: RoutingState, phase: SavePhase): Promise<void> {
    if (use === "open") use = "needed";
    await locked.write(stateText(state), phase);
    use = "none";
    hasSaved = true;
  }

  async function beginJournal(own: StateJournal, state: RoutingState): Promise<void> {
    const id = uuid();
    await own.begin(journalHeader(id));
    use = "needed";
    const text = stateText(state, id);
    await locked.write(text, "intent");
    use = "open";
    room = text.length + MAX_JOURNAL_CHARACTERS;
  }

  async function append(own: StateJournal, line: string, phase: SavePhase): Promise<void> {
    await own.append(line, phase);
    room -= line.length;
  }

  return {
    /**
     * @param state the whole state after the changes
     * @param changes since the last save; where that one failed, the whole state is saved
     * @throws the backend's error
     */
    save: async (
      state: RoutingState,
      changes: readonly StateEntry[],
      phase: SavePhase,
    ): Promise<void> => {
      if (journal === undefined) return saveWhole(state, phase);
      try {
        if (use === "open" && room > 0) {
          return await append(journal, journalLine(state.serial, changes), phase);
        }
        if (use === "none" && hasSaved) return await beginJournal(journal, state);
      } catch {
        // The whole state needs nothing of what failed, and for a result room is kept.
      }
      await saveWhole(state, phase);
    },
    /** Leaves a state without journal where possible. Never throws: with its journal it is whole. */
    close: async (state: RoutingState): Promise<void> => {
      if (use !== "none") await saveWhole(state, "result").catch(() => {});
    },
  };
}

/** The outcome of a result that could not be saved in its own location. */
export interface RescuedSave {
  /** The file with the whole state; absent if no file could be written either. */
  readonly where?: string;
  /** The reason why the state could not be saved. */
  readonly error: unknown;
}

/**
 * Writes the state into the temporary folder, the last resort before the terminal. The file name
 * contains the serial, so that no state that was rescued earlier is replaced.
 */
async function rescueState(
  state: RoutingState,
  error: unknown,
  folder: string = tmpdir(),
): Promise<RescuedSave> {
  const where = join(folder, `amp-errored-${state.lineage}-${state.serial}.json`);
  try {
    await writeFileDurably(where, stateText(state));
    return { where, error };
  } catch {
    return { error };
  }
}
