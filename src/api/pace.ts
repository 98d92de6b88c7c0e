import { setTimeout as pause } from "node:timers/promises";
import { RETRY } from "./retry.ts";

/**
 * What all requests of a process share: how often they may be sent again altogether, and until when
 * a service wants to be left alone. One that is told to wait waits for all of them.
 */
export interface Pace {
  /** Takes one of the retries; false where none is left. */
  takeRetry(): boolean;
  /** Nothing more goes to this origin for so many milliseconds. */
  hold(origin: string, ms: number): void;
  /** How long an origin is still to be left alone, in milliseconds; 0 for not at all. */
  heldFor(origin: string): number;
  /**
   * Resolves once an origin may be asked. Those that were held back do not all go at once.
   * @throws the reason of the signal, as soon as it is aborted
   */
  enter(origin: string, signal: AbortSignal): Promise<void>;
}

/** Over so many milliseconds those that were held back are spread. */
const SPREAD_MS = 500;

/** @param random from 0 to 1: where in the spread a request goes */
export function createPace(random: () => number = Math.random): Pace {
  const until = new Map<string, number>();
  let retries: number = RETRY.perProcess;
  const heldFor = (origin: string) => Math.max(0, (until.get(origin) ?? 0) - performance.now());
  return {
    takeRetry() {
      if (retries === 0) return false;
      retries -= 1;
      return true;
    },
    hold(origin, ms) {
      until.set(origin, Math.max(until.get(origin) ?? 0, performance.now() + ms));
    },
    heldFor,
    async enter(origin, signal) {
      // Once more: meanwhile another one may have been told to wait longer.
      for (let ms = heldFor(origin); ms > 0; ms = heldFor(origin)) {
        await pause(ms + random() * SPREAD_MS, undefined, { signal });
      }
    },
  };
}
