import { setImmediate as turn } from "node:timers/promises";
import { ServiceError } from "../../../src/errors.ts";
import type { LockedState, SavePhase } from "../../../src/notify/state/backend.ts";

/** What becomes of a save: an answer may be lost when all is done. */
export type SaveOutcome = "saved" | "lost" | "lost-afterwards";

/** A place in memory, held, whose saves fail as they are told to. */
export interface FailingState extends LockedState {
  text: string | undefined;
  /** Every text that a save was tried with. */
  readonly tried: { readonly text: string; readonly phase: SavePhase }[];
  /** Saves under way now; more than one would be a fault of the journal. */
  readonly atOnce: () => number;
}

/** @param fate of each save, by its number from 0 */
export function failingState(fate: (save: number) => SaveOutcome = () => "saved"): FailingState {
  let under = 0;
  let most = 0;
  const place: FailingState = {
    text: undefined,
    tried: [],
    atOnce: () => most,
    read: async () => place.text,
    check: async () => {},
    write: async (text, phase) => {
      const now = fate(place.tried.length);
      place.tried.push({ text, phase });
      under += 1;
      most = Math.max(most, under);
      await turn();
      if (now !== "lost") place.text = text;
      await turn();
      under -= 1;
      if (now !== "saved") throw new ServiceError("Could not save it");
    },
  };
  return place;
}
