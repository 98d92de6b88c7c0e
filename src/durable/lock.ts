import { stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { AmpError, ConflictError, signalError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { inputErrors } from "../values/errors.ts";
import { durableErrors } from "./errors.ts";
import * as generations from "./generations.ts";
import { isProvablyAlive, isProvablyDead, type Owner, parseOwner, thisOwner } from "./owner.ts";
import { readOwnFile } from "./read-file.ts";

/** The options of taking a lock. */
export interface LockOptions {
  /** The longest wait for another holder, in milliseconds; default 0: do not wait. */
  readonly wait?: number;
  /** Told once, when a wait begins, who has the lock. */
  readonly onWait?: ((owner: Owner | undefined) => void) | undefined;
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
  /** The command of this process, shown to others who want the lock. */
  readonly command?: string;
  /** The CI job of this process, shown to them too. */
  readonly job?: string | undefined;
  /** The name of the locked thing for messages; by default the path. */
  readonly shown?: string;
  /** The ID of the acquisition; by default a new one. */
  readonly id?: string;
}

/** A lock that is held. */
export interface HeldLock {
  readonly owner: Owner;
  /**
   * Checks that the lock is still held.
   * @throws {ConflictError} if the lock was removed in the meantime
   */
  check(): Promise<void>;
}

/**
 * Runs a function while no other process does the same under the same path. The path itself is not
 * touched: the lock is the folder `PATH.lock.d` with numbered generations. The next number is
 * claimed only when the newest owner has released its own or is provably dead. The lock uses no
 * clock, and the lock of another host is never taken.
 *
 * @throws {ConflictError} with the holder, when the wait is over
 * @throws {UsageError} if the file system refuses the lock
 * @throws {InterruptedError} when the signal ends the wait
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  run: (held: HeldLock) => Promise<Result>,
): Promise<Result> {
  const folder = lockFolder(path);
  const { shown = path } = options;
  const { number, owner } = await acquire(shown, folder, options);
  const record = generations.recordPath(folder, number);
  try {
    await generations.removeOlder(folder, number);
    return await run({ owner, check: () => checkHeld(shown, record, owner) });
  } finally {
    await generations.releaseRecord(record);
  }
}

/** The folder of a path's lock. */
export function lockFolder(path: string): string {
  return `${path}.lock.d`;
}

type ClaimAttempt =
  | { readonly kind: "taken"; readonly number: number; readonly owner: Owner }
  | { readonly kind: "held"; readonly by: Owner | undefined }
  | { readonly kind: "overtaken" };

/** Others that come first so often in a row are none: the folder contradicts itself. */
const MAX_OVERTAKEN = 100;

async function acquire(path: string, folder: string, options: LockOptions) {
  const { wait = 0, signal, onWait } = options;
  const end = performance.now() + wait;
  let isTold = false;
  let overtaken = 0;
  for (;;) {
    const attempt = await tryToClaim(folder, options).catch((error: unknown) => {
      // What the file system refuses is for the user to mend, and no defect of amp.
      if (error instanceof AmpError || (error as NodeJS.ErrnoException).code === undefined)
        throw error;
      throw inputErrors.file_unusable("lock", path, fsReason(error), error);
    });
    if (attempt.kind === "taken") return attempt;
    overtaken = attempt.kind === "overtaken" ? overtaken + 1 : 0;
    if (overtaken > 0 && overtaken < MAX_OVERTAKEN && !signal?.aborted) continue;
    if (signal?.aborted) throw signalError(signal.reason, {}, ` while waiting for ${path}`);
    const by = attempt.kind === "held" ? attempt.by : undefined;
    if (performance.now() >= end) throw durableErrors.locked(path, folder, by);
    if (!isTold) onWait?.(by);
    isTold = true;
    // The wait is random, so that waiting processes do not retry in step.
    await pause(5 + Math.random() * 30, undefined, signal ? { signal } : {}).catch(() => {});
  }
}

async function tryToClaim(
  folder: string,
  { command = "amp", id, job }: LockOptions,
): Promise<ClaimAttempt> {
  const newest = await generations.newestGeneration(folder);
  const below = generations.recordPath(folder, newest.number);
  const seen = await readOwnFile(below);
  if (newest.number > 0 && seen === undefined) return { kind: "overtaken" };
  if (seen !== undefined && !newest.released) {
    const by = parseOwner(seen);
    // guard: the lock of another
    if (by === undefined || !isProvablyDead(by)) return { kind: "held", by };
  }
  const number = newest.number + 1;
  const owner = thisOwner(command, id, job);
  if (!(await generations.placeRecord(folder, number, owner))) return { kind: "overtaken" };
  // Other processes may have taken and released the lock, and cleaned up, since the first listing;
  // the number is an old one then. Listings are not atomic everywhere, so the record must be
  // unchanged, too.
  const now = await generations.newestGeneration(folder);
  const same = (await readOwnFile(below)) === seen;
  if (now.number === number && same) return { kind: "taken", number, owner };
  await generations.removeRecord(generations.recordPath(folder, number));
  return { kind: "overtaken" };
}

async function checkHeld(path: string, record: string, owner: Owner): Promise<void> {
  const now = await readOwnFile(record);
  // guard: the lock is still held
  if (now !== undefined && parseOwner(now)?.id === owner.id) return;
  throw durableErrors.lock_lost(path);
}

/** The outcome of an attempt to remove a lock. */
type LockRemoval =
  | { readonly kind: "broken" }
  | { readonly kind: "not-locked" }
  /** The owner still runs. */
  | { readonly kind: "alive"; readonly owner: Owner }
  /** The owner is undefined if its record cannot be read. */
  | { readonly kind: "other"; readonly owner: Owner | undefined };

/**
 * Removes the lock of an owner that cannot release it and cannot be proved dead, for example on a
 * host that is gone.
 * @param id the acquisition, so that a newer one is never removed
 * @param force removes the lock of an owner that still runs, too
 */
export async function breakLock(path: string, id: string, force: boolean): Promise<LockRemoval> {
  const folder = lockFolder(path);
  if (!(await exists(folder))) return { kind: "not-locked" };
  const { number, released } = await generations.newestGeneration(folder);
  const record = generations.recordPath(folder, number);
  const text = number === 0 || released ? undefined : await readOwnFile(record);
  if (text === undefined) return { kind: "not-locked" };
  const owner = parseOwner(text);
  if (owner?.id !== id) return { kind: "other", owner };
  if (!force && isProvablyAlive(owner)) return { kind: "alive", owner };
  await generations.releaseRecord(record);
  // The next generation removes the record, so that an owner that is still alive notices.
  await withLock(path, { command: "amp notify state unlock" }, async () => {}).catch((error) => {
    if (!(error instanceof ConflictError) || holderId(error) === id) throw error;
  });
  return { kind: "broken" };
}

function holderId({ facts }: ConflictError): string | undefined {
  return (facts.data?.holder as Owner | undefined)?.id;
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
      throw error;
    },
  );
}
