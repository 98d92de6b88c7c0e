import { setTimeout as pause } from "node:timers/promises";
import type { LockRequest } from "./backend.ts";
import { brokenWait, type Holder, lockedError } from "./holder.ts";
import type { SendOptions } from "./send.ts";

/** What became of one attempt to take a lock. */
export type Attempt = { readonly taken: true } | { readonly taken: false; readonly by: Holder };

/** A lock that a server keeps. */
export interface ServerLock {
  readonly place: string;
  /** Ours, where it is taken. */
  readonly id: string;
  take(): Promise<Attempt>;
  giveBack(): Promise<void>;
}

const POLL_MS = 2_000;

/**
 * Works while holding a lock of a server, having waited for it as long as was asked for.
 * @throws {ConflictError} telling who holds it, when the wait is over
 * @throws {InterruptedError} when the signal ends the wait
 */
export async function whileLocked<Result>(
  lock: ServerLock,
  request: LockRequest,
  options: SendOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  await waitFor(lock, request, options);
  try {
    return await work();
  } finally {
    // What was done is done: that the lock stays is told beside it, and to whoever meets it.
    await lock.giveBack().catch((error: Error) => {
      options.warn?.(`${error.message}. Take it away with: amp notify unlock ${lock.id}`);
    });
  }
}

async function waitFor(
  { place, id, take }: ServerLock,
  { wait, signal }: LockRequest,
  { pollMs = POLL_MS }: SendOptions,
): Promise<void> {
  const end = performance.now() + wait;
  for (;;) {
    const outcome = await take();
    // Held by ourselves: the answer to an earlier attempt was lost.
    if (outcome.taken || outcome.by.id === id) return;
    const left = end - performance.now();
    if (left <= 0) throw lockedError(place, outcome.by);
    // Uneven, so that those who wait do not meet again and again.
    const ms = Math.min(left, pollMs * (0.5 + Math.random() / 2));
    await pause(ms, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw brokenWait(place, signal.reason);
  }
}
