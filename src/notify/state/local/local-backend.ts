import { breakLock, type HeldLock, withLock } from "../../../durable/lock.ts";
import { describeOwner, isProvablyAlive, type Owner } from "../../../durable/owner.ts";
import { appendDurably, writeFileDurably } from "../../../durable/write-file.ts";
import { ConflictError, isInterrupt } from "../../../errors.ts";
import { routingErrors } from "../../errors.ts";
import {
  describedHolder,
  interruptedWaitError,
  type LockedState,
  type LockHolder,
  type LockRequest,
  lockedError,
  type StateBackend,
} from "../backend.ts";
import {
  assertWritable,
  type DiskReserve,
  diskError,
  diskReserve,
  makeStateFolder,
  placesOf,
  readStateFile,
  realDisk,
  removeStateLeftovers,
  replaceStateFile,
  resolveStateFile,
  type StateFileSystem,
} from "./state-file.ts";

/**
 * A state in a file of this machine with mode 0600. A missing folder is created with mode 0700.
 * @param path absolute
 * @param fs of the saves, by default the real one
 * @param checkout the folder of the project, if the path is in it; see {@link resolveStateFile}
 */
export function localBackend(
  path: string,
  fs: StateFileSystem = realDisk,
  checkout?: string,
): StateBackend {
  const resolved = () => resolveStateFile(path, checkout);
  return {
    location: path,
    local: true,
    read: () => withDiskErrors("read", path, async () => readStateFile(await resolved())),
    assertWritable: () =>
      withDiskErrors("save", path, async () => assertWritable(await resolved())),
    withLock: (request, work) => workLocked({ path, resolved, fs }, request, work),
    unlock: (id, force) =>
      withDiskErrors("unlock", path, async () => {
        const file = await resolved();
        const outcome = await breakLock(placesOf(file).lock, id, force);
        if (outcome.kind === "broken") return;
        if (outcome.kind === "not-locked") throw routingErrors.state_not_locked(path);
        const held = describedHolder(lockHolderOf(outcome.owner));
        if (outcome.kind === "alive") throw routingErrors.state_lock_alive(path, held);
        throw routingErrors.state_lock_different(path, id, held);
      }),
  };
}

/** A state with the path that was given, and the one of the file behind it. */
interface LocalState {
  readonly path: string;
  readonly resolved: () => Promise<string>;
  readonly fs: StateFileSystem;
}

async function workLocked<Result>(
  { path, resolved, fs }: LocalState,
  request: LockRequest,
  work: (locked: LockedState) => Promise<Result>,
): Promise<Result> {
  let working = false;
  try {
    const file = await resolved();
    await makeStateFolder(file);
    const onWait = (owner: Owner | undefined) => request.onWait?.(lockHolderOf(owner));
    return await withLock(
      placesOf(file).lock,
      { ...request, shown: path, onWait },
      async (lock) => {
        const reserve = diskReserve(file, fs);
        const removeLeftovers = () => Promise.all([removeStateLeftovers(file), reserve.clear()]);
        await removeLeftovers();
        working = true;
        try {
          return await work(lockedFileState(path, file, { lock, reserve, fs }));
        } finally {
          // If another run has the lock by now, the files beside the state are that run's.
          await lock
            .check()
            .then(removeLeftovers)
            .catch(() => {});
        }
      },
    );
  } catch (error) {
    throw working ? error : lockError(path, request, error);
  }
}

function lockedFileState(
  path: string,
  file: string,
  {
    lock,
    reserve,
    fs,
  }: { lock: Pick<HeldLock, "check">; reserve: DiskReserve; fs: StateFileSystem },
): LockedState {
  let [stateBytes, journalBytes] = [0, 0];
  return {
    read: () => withDiskErrors("read", path, () => readStateFile(file)),
    check: () => withDiskErrors("read the lock of", path, () => lock.check()),
    write: (text, phase) =>
      withDiskErrors("save", path, async () => {
        await lock.check();
        stateBytes = Buffer.byteLength(text);
        if (phase === "intent") await reserve.ensure(stateBytes);
        return replaceStateFile(file, text, fs).catch(async (error) => {
          if (phase === "intent" || !(await reserve.release())) throw error;
          await replaceStateFile(file, text, fs);
        });
      }),
    journal: {
      begin: (header) =>
        withDiskErrors("save", path, async () => {
          await lock.check();
          journalBytes = Buffer.byteLength(header);
          await writeFileDurably(placesOf(file).journal, header, { fs });
        }),
      append: (line, phase) =>
        withDiskErrors("save", path, async () => {
          await lock.check();
          const bytes = Buffer.from(line, "utf8");
          // A journal that takes no more is replaced by the whole state, no longer than both.
          const next = journalBytes + bytes.length;
          if (phase === "intent") await reserve.ensure(stateBytes + next);
          await appendDurably(placesOf(file).journal, bytes, { size: journalBytes, fs });
          journalBytes = next;
        }),
    },
  };
}

function lockError(path: string, request: LockRequest, error: unknown): unknown {
  if (isInterrupt(error)) return interruptedWaitError(path, request.signal.reason);
  if (!(error instanceof ConflictError)) return diskError("lock", path, error);
  const owner = error.facts.data?.holder as Owner | undefined;
  // The holder of an unreadable lock record is unknown: the error of the lock names its folder.
  return owner === undefined
    ? error
    : lockedError(path, lockHolderOf(owner), { ...request, isAlive: isProvablyAlive(owner) });
}

function lockHolderOf(owner: Owner | undefined): LockHolder {
  if (owner === undefined) return {};
  const { id, command, since } = owner;
  return { id, command, who: describeOwner(owner), since };
}

async function withDiskErrors<Result>(
  action: string,
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw diskError(action, path, error);
  }
}
