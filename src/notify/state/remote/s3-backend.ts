import { ConflictError, UsageError } from "../../../errors.ts";
import {
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
import { type ObjectStore, objectStore, type WriteCondition } from "./s3-store.ts";
import {
  isTransient,
  retryUntilKnown,
  type StateResponse,
  type StateServerOptions,
} from "./send.ts";

/** A state in a storage that has S3's conditional writes; the lock is an object beside it. */
export function s3Backend(at: S3StateLocation, options: StateServerOptions = {}): StateBackend {
  const store = objectStore(at, options);
  const bucket: StateObject = { ...at, store, options, lockKey: `${at.key}.lock` };
  const { place } = at;
  return {
    place,
    local: false,
    read: async () => (await store.get(at.key, true))?.text,
    withLock: (request, work) => {
      const info = newLockInfo(request.command);
      const lock = {
        place,
        id: info.ID,
        take: () => acquireObjectLock(bucket, info),
        giveBack: () => releaseObjectLock(bucket, info.ID),
      };
      return withServerLock(lock, request, options, async () => {
        await assertConditionalWrites(bucket, info);
        return work(lockedObjectState(bucket, info));
      });
    },
    unlock: async (id) => {
      const lock = await store.get(bucket.lockKey);
      if (lock === undefined) throw notLockedError(place);
      const holder = parseLockHolder(lock.text);
      if (holder.id !== id) throw differentLockError(place, id, holder);
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
  const { store, options, lockKey, place } = bucket;
  return retryUntilKnown<LockAttempt>(
    {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }),
      judge: async (answer) => {
        if (isS3Success(answer)) return { done: { taken: true } };
        const error = store.refused(answer, `lock ${place}`);
        if (answer.status !== 412) {
          // 409: another run asks at the same time.
          return { error, again: answer.status === 409 || isTransient(answer.status) };
        }
        const lock = await store.get(lockKey);
        // Given back between the two requests.
        if (lock === undefined) return { error, again: true };
        return { done: { taken: false, by: parseLockHolder(lock.text, info) } };
      },
    },
    options,
  );
}

/**
 * Puts the lock a second time, which must be refused: a storage that passes over the condition
 * gives every run the lock.
 * @throws {UsageError} for such a one
 */
async function assertConditionalWrites(bucket: StateObject, info: LockInfo): Promise<void> {
  const { store, options, lockKey, place } = bucket;
  await retryUntilKnown<true>(
    {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }),
      judge: (answer) => {
        const { status } = answer;
        if (status === 412 || status === 409) return { done: true };
        return isS3Success(answer)
          ? { error: noConditionalWritesError(place), again: false }
          : { error: store.refused(answer, `lock ${place}`), again: isTransient(status) };
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
  { store, options, key, lockKey, place }: StateObject,
  info: LockInfo,
): LockedState {
  /** Of the object as it was read or saved last; empty where there is none. */
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
          if (status === 412 || status === 404) return { error: changedError(place), again: false };
          const error = store.refused(answer, `save ${place}`);
          return { error, again: status === 409 || isTransient(status) };
        },
        look: () => tagOf(text),
      },
      options,
    );
  }

  /** @throws {ConflictError} where another text is there */
  async function tagOf(text: string): Promise<string> {
    const now = await store.get(key);
    if (now?.text === text) return now.etag;
    throw changedError(place);
  }

  return {
    read,
    write,
    check: async () => {
      const lock = await store.get(lockKey);
      if (lock === undefined || parseLockHolder(lock.text).id !== info.ID)
        throw lostLockError(place);
    },
  };
}

function isS3Success({ status }: StateResponse): boolean {
  return status === 200 || status === 201;
}

function noConditionalWritesError(place: string): UsageError {
  return new UsageError(`The storage of ${place} has no conditional writes`, {
    detail: "It replaced an object that was to be made only if it did not exist.",
    remedy: "Two runs could make everything twice there. Choose another place with --state.",
    done: "Nothing was sent to the service.",
  });
}

function changedError(place: string): ConflictError {
  return new ConflictError(`${place} was changed by somebody else while it was locked`, {
    remedy: "Another run may be at work: see what it did before you start again.",
  });
}
