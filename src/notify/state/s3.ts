import { ConflictError, UsageError } from "../../errors.ts";
import type { HeldPlace, StateBackend } from "./backend.ts";
import { lostLockError, notLockedError, otherLockError } from "./holder.ts";
import { insist } from "./insist.ts";
import { holderOf, type LockInfo, lockInfoOf } from "./lock-info.ts";
import type { S3Place } from "./s3-place.ts";
import { type Condition, type ObjectStore, objectStore } from "./s3-store.ts";
import { mayPass, type SendOptions, type Sent } from "./send.ts";
import { type Attempt, whileLocked } from "./wait-for-lock.ts";

/** A state in a storage that has S3's conditional writes; the lock is an object beside it. */
export function s3Backend(at: S3Place, options: SendOptions = {}): StateBackend {
  const store = objectStore(at, options);
  const bucket: Bucket = { ...at, store, options, lockKey: `${at.key}.lock` };
  const { place } = at;
  return {
    place,
    local: false,
    read: async () => (await store.get(at.key, true))?.text,
    withLock: (request, work) => {
      const info = lockInfoOf(request.command);
      const lock = {
        place,
        id: info.ID,
        take: () => takeLock(bucket, info),
        giveBack: () => giveBackLock(bucket, info.ID),
      };
      return whileLocked(lock, request, options, async () => {
        await demandConditions(bucket, info);
        return work(heldObject(bucket, info));
      });
    },
    unlock: async (id) => {
      const lock = await store.get(bucket.lockKey);
      if (lock === undefined) throw notLockedError(place);
      const holder = holderOf(lock.text);
      if (holder.id !== id) throw otherLockError(place, id, holder);
      await store.remove(bucket.lockKey);
    },
  };
}

interface Bucket extends S3Place {
  readonly store: ObjectStore;
  readonly options: SendOptions;
  readonly lockKey: string;
}

async function takeLock(bucket: Bucket, info: LockInfo): Promise<Attempt> {
  const { store, options, lockKey, place } = bucket;
  return insist<Attempt>(
    {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }),
      judge: async (answer) => {
        if (isGood(answer)) return { done: { taken: true } };
        const error = store.refused(answer, `lock ${place}`);
        if (answer.status !== 412) {
          // 409: another run asks at the same time.
          return { error, again: answer.status === 409 || mayPass(answer.status) };
        }
        const lock = await store.get(lockKey);
        // Given back between the two requests.
        if (lock === undefined) return { error, again: true };
        return { done: { taken: false, by: holderOf(lock.text, info) } };
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
async function demandConditions(bucket: Bucket, info: LockInfo): Promise<void> {
  const { store, options, lockKey, place } = bucket;
  await insist<true>(
    {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }),
      judge: (answer) => {
        const { status } = answer;
        if (status === 412 || status === 409) return { done: true };
        return isGood(answer)
          ? { error: unconditionalError(place), again: false }
          : { error: store.refused(answer, `lock ${place}`), again: mayPass(status) };
      },
    },
    options,
  );
}

async function giveBackLock({ store, lockKey }: Bucket, id: string): Promise<void> {
  const lock = await store.get(lockKey);
  if (lock !== undefined && holderOf(lock.text).id === id) await store.remove(lockKey);
}

function heldObject({ store, options, key, lockKey, place }: Bucket, info: LockInfo): HeldPlace {
  /** Of the object as it was read or saved last; empty where there is none. */
  let etag: string | undefined;

  async function read(): Promise<string | undefined> {
    const stored = await store.get(key);
    etag = stored?.etag ?? "";
    return stored?.text;
  }

  async function write(text: string): Promise<void> {
    if (etag === undefined) await read();
    const condition: Condition = etag ? { "if-match": etag } : { "if-none-match": "*" };
    etag = await insist<string>(
      {
        send: () => store.put(key, text, condition),
        judge: async (answer) => {
          const { status, headers } = answer;
          if (isGood(answer)) return { done: headers.get("etag") ?? (await tagOf(text)) };
          if (status === 412 || status === 404) return { error: changedError(place), again: false };
          const error = store.refused(answer, `save ${place}`);
          return { error, again: status === 409 || mayPass(status) };
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
      if (lock === undefined || holderOf(lock.text).id !== info.ID) throw lostLockError(place);
    },
  };
}

function isGood({ status }: Sent): boolean {
  return status === 200 || status === 201;
}

function unconditionalError(place: string): UsageError {
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
