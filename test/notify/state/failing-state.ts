import { setImmediate as turn } from "node:timers/promises";
import { ServiceError } from "../../../src/errors.ts";
import type { LockedState, SavePhase } from "../../../src/notify/state/backend.ts";
import { isJournal, journalIdOf, withJournal } from "../../../src/notify/state/format.ts";

/** The outcome of a save: its answer may be lost after it is done. */
export type SaveOutcome = "saved" | "lost" | "lost-afterwards";

/** A locked state in memory whose saves fail on demand. */
export interface FailingState extends LockedState {
  /** The saved text, with the journal that it needs. */
  text: string | undefined;
  /** Every text that a save was tried with. */
  readonly tried: { readonly text: string; readonly phase: SavePhase }[];
  /** Saves under way now; more than one would be a fault of the manager. */
  readonly atOnce: () => number;
}

/**
 * @param fate of each save, by its number from 0
 * @param hasJournal whether it can hold a journal; a line that is lost leaves its half
 */
export function failingState(
  fate: (save: number) => SaveOutcome = () => "saved",
  hasJournal = false,
): FailingState {
  let under = 0;
  let most = 0;
  let [snapshot, journal] = [undefined as string | undefined, ""];
  /** Saves a text by two functions: what is there afterwards, and what after a failure. */
  async function save(text: string, phase: SavePhase, done: () => void, torn = () => {}) {
    const now = fate(held.tried.length);
    held.tried.push({ text, phase });
    under += 1;
    most = Math.max(most, under);
    await turn();
    if (now === "lost") torn();
    else done();
    await turn();
    under -= 1;
    if (now !== "saved") throw new ServiceError("Could not save it");
  }
  const held: FailingState = {
    get text() {
      const id = journalIdOf(snapshot ?? "");
      const isNeeded = id !== undefined && isJournal(journal, id);
      return isNeeded ? withJournal(snapshot ?? "", journal) : snapshot;
    },
    set text(text) {
      snapshot = text;
    },
    tried: [],
    atOnce: () => most,
    read: async () => held.text,
    check: async () => {},
    write: (text, phase) =>
      save(text, phase, () => {
        snapshot = text;
      }),
    ...(hasJournal && {
      journal: {
        begin: (header) =>
          save(header, "intent", () => {
            journal = header;
          }),
        append: (line, phase) => {
          const before = journal;
          return save(
            line,
            phase,
            () => {
              journal = before + line;
            },
            () => {
              journal = before + line.slice(0, line.length >> 1);
            },
          );
        },
      },
    }),
  };
  return held;
}
