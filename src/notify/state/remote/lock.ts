import { setTimeout as pause } from "node:timers/promises";
import { thisOwner } from "../../../durable/owner.ts";
import { version } from "../../../runtime/version.ts";
import {
  interruptedWaitError,
  type LockHolder,
  type LockRequest,
  lockedError,
} from "../backend.ts";
import type { StateServerOptions } from "./send.ts";

/** What became of one attempt to take a lock. */
export type LockAttempt =
  | { readonly taken: true }
  | { readonly taken: false; readonly by: LockHolder };

/** A lock that a server keeps. */
export interface ServerLock {
  readonly place: string;
  /** Ours, where it is taken. */
  readonly id: string;
  take(): Promise<LockAttempt>;
  giveBack(): Promise<void>;
}

const POLL_MS = 2_000;

/**
 * Works while holding a lock of a server, having waited for it as long as was asked for.
 * @throws {ConflictError} telling who holds it, when the wait is over
 * @throws {InterruptedError} when the signal ends the wait
 */
export async function withServerLock<Result>(
  lock: ServerLock,
  request: LockRequest,
  options: StateServerOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  await acquireServerLock(lock, request, options);
  try {
    return await work();
  } finally {
    // What was done is done: that the lock stays is told beside it, and to whoever meets it.
    await lock.giveBack().catch((error: Error) => {
      options.warn?.(`${error.message}. Take it away with: amp notify unlock ${lock.id}`);
    });
  }
}

async function acquireServerLock(
  { place, id, take }: ServerLock,
  { wait, signal }: LockRequest,
  { pollMs = POLL_MS }: StateServerOptions,
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
    if (signal.aborted) throw interruptedWaitError(place, signal.reason);
  }
}

/** Terraform's description of a lock, which its state servers keep and show. */
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

/** A lock of this process. */
export function newLockInfo(command: string): LockInfo {
  const { id, host, pid, since } = thisOwner(command);
  return {
    ID: id,
    Operation: "apply",
    Info: command,
    Who: `process ${pid} on ${host}`,
    Version: `amp ${version}`,
    Created: since,
    Path: "",
  };
}

/**
 * Who holds a lock, by the body of an answer; what is missing there is missing here.
 * @param asker whose request it answers: GitLab fills in what the asker itself said as `Info`
 */
export function parseLockHolder(text: string, asker?: LockInfo): LockHolder {
  const { ID, Info, Who, Created } = lockFields(text);
  const command = Info === asker?.Info && ID !== asker?.ID ? undefined : Info;
  const holder = { id: ID, command, who: Who, since: Created };
  return Object.fromEntries(
    Object.entries(holder).filter(([, value]) => typeof value === "string" && value !== ""),
  );
}

function lockFields(text: string): Partial<Record<keyof LockInfo, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
