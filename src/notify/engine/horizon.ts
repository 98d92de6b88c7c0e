import type { PendingCreate } from "../state/state.ts";
import type { Run } from "./run.ts";

/** Two machines' clocks may differ by as much. What was begun longer ago is decided. */
const SKEW_MS = 3_600_000;

/**
 * Until when the service may still create what it was sent, in milliseconds of this machine's clock.
 * A run that was killed has told nothing of it; but the lock is held now, so it sends no more.
 */
export function horizonOf({ ports }: Run, { horizon, started }: PendingCreate): number {
  const now = ports.now().getTime();
  const latest = now + ports.options.commitHorizonMs;
  if (horizon !== undefined) return Math.min(Date.parse(horizon), latest);
  return now - Date.parse(started) > SKEW_MS ? now : latest;
}
