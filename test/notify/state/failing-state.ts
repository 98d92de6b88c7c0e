import { setImmediate as turn } from "node:timers/promises";
import { ServiceError } from "../../../src/errors.ts";
import type { LockedState, SavePhase } from "../../../src/notify/state/backend.ts";

/** The outcome of a save: its answer may be lost after it is done. */
export type SaveOutcome = "saved" | "lost" | "lost-afterwards";

/** A locked state in memory whose saves fail on demand. */
export interface FailingState extends LockedState {
  text: string | undefined;
  /** Every text that a save was tried with. */
  readonly tried: { readonly text: string; readonly phase: SavePhase }[];
  /** Saves under way now; more than one would be a fault of the manager. */
  readonly atOnce: () => number;
}

/** @param fate of each save, by its number from 0 */
export function failingState(fate: (save: number) => SaveOutcome = () => "saved"): FailingState {
  let under = 0;
  let most = 0;
  const held: FailingState = {
    text: undefined,
    tried: [],
    atOnce: () => most,
    read: async () => held.text,
    check: async () => {},
    write: async (text, phase) => {
      const now = fate(held.tried.length);
      held.tried.push({ text, phase });
      under += 1;
      most = Math.max(most, under);
      await turn();
      if (now !== "lost") held.text = text;
      await turn();
      under -= 1;
      if (now !== "saved") throw new ServiceError("Could not save it");
    },
  };
  return held;
}
