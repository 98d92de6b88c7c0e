import { setTimeout as pause } from "node:timers/promises";
import { describeOwner, thisOwner } from "../../../durable/owner.ts";
import { AuthError, ConflictError, ServiceError, UnknownOutcomeError } from "../../../errors.ts";
import { version } from "../../../runtime/version.ts";
import { jsonOf } from "../../../values/json.ts";
import { suggest } from "../../../values/suggested-command.ts";
import {
  interruptedWaitError,
  type LockHolder,
  type LockRequest,
  lockedError,
} from "../backend.ts";
import type { StateServerOptions } from "./send.ts";

/** The outcome of one attempt to take a lock: taken, or who has it. */
export type LockAttempt = "taken" | { readonly by: LockHolder };

/** Whether a run has the lock that it asks for: the answer that granted it may have been lost. */
export function isHeldBy({ ID }: LockInfo, attempt: LockAttempt): boolean {
  return attempt === "taken" || attempt.by.id === ID;
}

interface ServerLock {
  readonly location: string;
  /** Asks for the lock; the signal ends it. */
  acquire(info: LockInfo): Promise<LockAttempt>;
  release(info: LockInfo): Promise<void>;
  /** Releases the lock if this run has it: the answer to its request did not arrive. */
  withdraw(info: LockInfo): Promise<void>;
}

const POLL_MS = 2_000;

/**
 * Works while holding a lock of a server, after waiting for it as long as the request allows.
 * @throws {ConflictError} with the holder, when the wait is over
 * @throws {InterruptedError} when the signal ends the wait
 */
export async function withServerLock<Result>(
  lock: ServerLock,
  request: LockRequest,
  options: StateServerOptions,
  work: (info: LockInfo) => Promise<Result>,
): Promise<Result> {
  const info = newLockInfo(request.command, request.job);
  const unlock = suggest("notify state unlock", [info.ID]);
  await acquireServerLock(lock, info, request, options).catch(async (error: unknown) => {
    const isConflict = error instanceof ConflictError;
    if (error instanceof AuthError) error.setFacts({ done: "Nothing was sent to the service." });
    if (request.signal.aborted && !isConflict) {
      // The request may never have arrived.
      const doubt = `This run could not check whether it took the lock of ${lock.location}. If the next run finds it locked:`;
      await lock.withdraw(info).catch(() => options.warn?.(doubt, unlock));
    } else if (error instanceof ServiceError && error.cause instanceof UnknownOutcomeError) {
      const remedy =
        "The server may have granted the lock. If the next run finds the state locked, remove the lock:";
      await lock.withdraw(info).catch(() => error.setFacts({ remedy, suggestion: unlock }));
    }
    throw error;
  });
  try {
    return await work(info);
  } finally {
    // A lock that stays is only a warning, because the work is done. The next run reports it.
    await lock.release(info).catch((error: Error) => {
      options.warn?.(`${error.message}. To remove the lock:`, unlock);
    });
  }
}

async function acquireServerLock(
  lock: ServerLock,
  info: LockInfo,
  { wait, onWait, signal }: LockRequest,
  { pollMs = POLL_MS }: StateServerOptions,
): Promise<void> {
  const end = performance.now() + wait;
  for (let isTold = false; ; ) {
    const attempt = await lock.acquire(info);
    if (attempt === "taken" || isHeldBy(info, attempt)) return;
    const left = end - performance.now();
    if (left <= 0) throw lockedError(lock.location, attempt.by, { wait });
    if (!isTold) onWait?.(attempt.by);
    isTold = true;
    // Random, so that waiting runs do not ask at the same time again and again.
    const ms = Math.min(left, pollMs * (0.5 + Math.random() / 2));
    await pause(ms, undefined, { signal }).catch(() => {});
    if (signal.aborted) throw interruptedWaitError(lock.location, signal.reason);
  }
}

/** Terraform's description of a lock, which its state servers keep and report. */
export interface LockInfo {
  readonly ID: string;
  readonly Operation: string;
  readonly Info: string;
  readonly Who: string;
  readonly Version: string;
  /** RFC 3339. */
  readonly Created: string;
  readonly Path: string;
}

/** Describes a lock of this process. GitLab shows `Who` beside the lock. */
export function newLockInfo(command: string, job?: string): LockInfo {
  const owner = thisOwner(command, undefined, job);
  return {
    ID: owner.id,
    Operation: "apply",
    Info: command,
    Who: describeOwner(owner),
    Version: `amp ${version}`,
    Created: owner.since,
    Path: "",
  };
}

/**
 * Reads the holder of a lock from the body of an answer; a missing field stays missing.
 * @param asker the lock of the request: GitLab repeats the asker's own `Info` in its answer
 */
export function parseLockHolder(text: string, asker?: LockInfo): LockHolder {
  const { ID, Info, Who, Created }: Partial<Record<keyof LockInfo, unknown>> = Object(jsonOf(text));
  const command = Info === asker?.Info && ID !== asker?.ID ? undefined : Info;
  const holder = { id: ID, command, who: Who, since: Created };
  return Object.fromEntries(
    Object.entries(holder).filter(([, value]) => typeof value === "string" && value !== ""),
  );
}
