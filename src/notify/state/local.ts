import { breakLock } from "../../durable/break-lock.ts";
import { type HeldLock, withLock } from "../../durable/lock.ts";
import type { Owner } from "../../durable/owner.ts";
import { readOwnFile } from "../../durable/read-file.ts";
import { ConflictError, InterruptedError } from "../../errors.ts";
import type { HeldPlace, LockRequest, StateBackend } from "./backend.ts";
import { diskError } from "./disk-error.ts";
import { brokenWait, type Holder, lockedError, notLockedError, otherLockError } from "./holder.ts";
import { type Reserve, reserveOf } from "./reserve.ts";
import {
  fileBehind,
  realDisk,
  removeStateLeftovers,
  replaceStateFile,
  type StateFileSystem,
} from "./state-file.ts";

/**
 * A state in a file of this machine. Its folder is made 0700 where it is missing, the file is 0600.
 * @param path absolute
 * @param fs of the saves, by default the real one
 */
export function localBackend(path: string, fs: StateFileSystem = realDisk): StateBackend {
  return {
    place: path,
    local: true,
    read: () => onDisk("read", path, async () => readOwnFile(await fileBehind(path))),
    withLock: (request, work) => lockedWork(path, fs, request, work),
    unlock: (id) => onDisk("unlock", path, () => unlock(path, id)),
  };
}

async function lockedWork<Result>(
  path: string,
  fs: StateFileSystem,
  { command, wait, signal }: LockRequest,
  work: (held: HeldPlace) => Promise<Result>,
): Promise<Result> {
  let inside = false;
  try {
    const file = await fileBehind(path);
    return await withLock(file, { command, wait, signal }, async (lock) => {
      const reserve = reserveOf(file, fs);
      const tidy = () => Promise.all([removeStateLeftovers(file), reserve.clear()]);
      await tidy();
      inside = true;
      try {
        return await work(heldFile(path, file, { lock, reserve, fs }));
      } finally {
        // What lies there is another run's, where that one has the lock by now.
        await lock.check().then(tidy).catch(ignore);
      }
    });
  } catch (error) {
    if (inside) throw error;
    throw lockFailure(path, signal, error);
  }
}

function heldFile(
  path: string,
  file: string,
  { lock, reserve, fs }: { lock: HeldLock; reserve: Reserve; fs: StateFileSystem },
): HeldPlace {
  const replace = (text: string) => replaceStateFile(file, text, fs);
  return {
    read: () => onDisk("read", path, () => readOwnFile(file)),
    check: () => onDisk("read the lock of", path, () => lock.check()),
    write: (text, phase) =>
      onDisk("save", path, async () => {
        await lock.check();
        if (phase === "intent") {
          await reserve.keep(text);
          return replace(text);
        }
        try {
          await replace(text);
        } catch (error) {
          if (!(await reserve.giveUp())) throw error;
          await replace(text);
        }
      }),
  };
}

async function unlock(path: string, id: string): Promise<void> {
  const outcome = await breakLock(await fileBehind(path), id);
  if (outcome.kind === "not-locked") throw notLockedError(path);
  if (outcome.kind === "other") throw otherLockError(path, id, holderOf(outcome.owner));
}

function lockFailure(path: string, signal: AbortSignal, error: unknown): unknown {
  if (error instanceof InterruptedError) return brokenWait(path, signal.reason);
  if (!(error instanceof ConflictError)) return diskError("lock", path, error);
  const owner = error.facts.data?.holder as Owner | undefined;
  // A record that cannot be read: the lock's own advice is the better one.
  return owner === undefined ? error : lockedError(path, holderOf(owner));
}

function holderOf(owner: Owner | undefined): Holder {
  if (owner === undefined) return {};
  const { id, command, pid, host, since } = owner;
  return { id, command, who: `process ${pid} on ${host}`, since };
}

async function onDisk<Result>(
  does: string,
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw diskError(does, path, error);
  }
}

function ignore(): void {}
