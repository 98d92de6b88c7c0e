import { ConflictError, UsageError } from "../../../errors.ts";
import {
  CHECK_OTHER_RUN,
  differentLockError,
  type LockedState,
  lostLockError,
  notLockedError,
  type StateBackend,
} from "../backend.ts";
import {
  type LockAttempt,
  type LockInfo,
  newLockInfo,
  parseLockHolder,
  withServerLock,
} from "./lock.ts";
import type { S3StateLocation } from "./s3-location.ts";
import { type ObjectStore, objectStore, s3Error, type WriteCondition } from "./s3-store.ts";
import {
  isTransient,
  retryUntilKnown,
  type StateResponse,
  type StateServerOptions,
} from "./send.ts";

/** A state in a storage with S3's conditional writes; the lock is an object beside the state. */
export function s3Backend(at: S3StateLocation, options: StateServerOptions = {}): StateBackend {
  const store = objectStore(at, options);
  const bucket: StateObject = { ...at, store, options, lockKey: `${at.key}.lock` };
  const { location } = at;
  return {
    location,
    local: false,
    read: async () => (await store.get(at.key, true))?.text,
    withLock: (request, work) => {
      const info = newLockInfo(request.command);
      const lock = {
        location,
        id: info.ID,
        acquire: () => acquireObjectLock(bucket, info),
        release: () => releaseObjectLock(bucket, info.ID),
      };
      return withServerLock(lock, request, options, async () => {
        await assertConditionalWrites(bucket, info);
        return work(lockedObjectState(bucket, info));
      });
    },
    unlock: async (id) => {
      const lock = await store.get(bucket.lockKey);
      if (lock === undefined) throw notLockedError(location);
      const holder = parseLockHolder(lock.text);
      if (holder.id !== id) throw differentLockError(location, id, holder);
      await store.remove(bucket.lockKey);
    },
  };
}

interface StateObject extends S3StateLocation {
  readonly store: ObjectStore;
  readonly options: StateServerOptions;
  readonly lockKey: string;
}

async function acquireObjectLock(bucket: StateObject, info: LockInfo): Promise<LockAttempt> {
  const { store, options, lockKey, location } = bucket;
  return retryUntilKnown<LockAttempt>(
    {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }),
      judge: async (answer) => {
        if (isS3Success(answer)) return { done: { taken: true } };
        const error = s3Error(answer, `lock ${location}`);
        if (answer.status !== 412) {
          // 409: another run takes the lock at the same time.
          return { error, retry: answer.status === 409 || isTransient(answer.status) };
        }
        const lock = await store.get(lockKey);
        // The lock was released between the two requests.
        if (lock === undefined) return { error, retry: true };
        return { done: { taken: false, by: parseLockHolder(lock.text, info) } };
      },
    },
    options,
  );
}

/**
 * Puts the lock a second time, which must be refused: a storage that ignores the condition gives the
 * lock to every run.
 * @throws {UsageError} for such a storage
 */
async function assertConditionalWrites(bucket: StateObject, info: LockInfo): Promise<void> {
  const { store, options, lockKey, location } = bucket;
  await retryUntilKnown<true>(
    {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }),
      judge: (answer) => {
        const { status } = answer;
        if (status === 412 || status === 409) return { done: true };
        return isS3Success(answer)
          ? { error: noConditionalWritesError(location), retry: false }
          : { error: s3Error(answer, `lock ${location}`), retry: isTransient(status) };
      },
    },
    options,
  );
}

async function releaseObjectLock({ store, lockKey }: StateObject, id: string): Promise<void> {
  const lock = await store.get(lockKey);
  if (lock !== undefined && parseLockHolder(lock.text).id === id) await store.remove(lockKey);
}

function lockedObjectState(
  { store, options, key, lockKey, location }: StateObject,
  info: LockInfo,
): LockedState {
  /** The tag of the object as it was read or saved last; empty if there is no object. */
  let etag: string | undefined;

  async function read(): Promise<string | undefined> {
    const stored = await store.get(key);
    etag = stored?.etag ?? "";
    return stored?.text;
  }

  async function write(text: string): Promise<void> {
    if (etag === undefined) await read();
    const condition: WriteCondition = etag ? { "if-match": etag } : { "if-none-match": "*" };
    etag = await retryUntilKnown<string>(
      {
        send: () => store.put(key, text, condition),
        judge: async (answer) => {
          const { status, headers } = answer;
          if (isS3Success(answer)) return { done: headers.get("etag") ?? (await tagOf(text)) };
          if (status === 412 || status === 404)
            return { error: changedError(location), retry: false };
          const error = s3Error(answer, `save ${location}`);
          return { error, retry: status === 409 || isTransient(status) };
        },
        findResult: () => tagOf(text),
      },
      options,
    );
  }

  /** @throws {ConflictError} if the object has another text */
  async function tagOf(text: string): Promise<string> {
    const now = await store.get(key);
    if (now?.text === text) return now.etag;
    throw changedError(location);
  }

  return {
    read,
    write,
    check: async () => {
      const lock = await store.get(lockKey);
      if (lock === undefined || parseLockHolder(lock.text).id !== info.ID)
        throw lostLockError(location);
    },
  };
}

function isS3Success({ status }: StateResponse): boolean {
  return status === 200 || status === 201;
}

function noConditionalWritesError(location: string): UsageError {
  return new UsageError(`The storage of ${location} does not support conditional writes`, {
    detail: "The server ignored the If-None-Match condition.",
    remedy: "Two runs could create everything twice. Choose another location with --state.",
    done: "Nothing was sent to the service.",
  });
}

function changedError(location: string): ConflictError {
  return new ConflictError(`${location} was changed by another run while it was locked`, {
    remedy: CHECK_OTHER_RUN,
  });
}
