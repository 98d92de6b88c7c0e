import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileDurably } from "../../durable/write-file.ts";
import type { LockedState, SavePhase, StateJournal } from "./backend.ts";
import { journalHeader, journalIdOf, journalLine, stateText } from "./format.ts";
import type { RoutingState, StateEntry } from "./state.ts";

/** Saves one state, again and again. */
export type StateSaver = ReturnType<typeof stateSaver>;

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
export function stateSaver(locked: LockedState, saved: string | undefined, uuid: () => string) {
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
export async function rescueState(
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
