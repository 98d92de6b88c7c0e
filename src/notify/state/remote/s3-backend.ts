import { type AmpError, ConflictError, UsageError } from "../../../errors.ts";
import {
  CHECK_OTHER_RUN,
  differentLockError,
  type LockedState,
  lostLockError,
  notLockedError,
  type StateBackend,
  saveLostError,
} from "../backend.ts";
import { type LockAttempt, type LockInfo, parseLockHolder, withServerLock } from "./lock.ts";
import { objectStore, type S3StateLocation, s3Error } from "./s3-store.ts";
import {
  type AnswerVerdict,
  failed,
  isSuccess,
  retryUntilKnown,
  type StateResponse,
  type StateServerOptions,
  textDigest,
} from "./send.ts";

/** A state in a storage with S3's conditional writes; the lock is an object beside the state. */
export function s3Backend(at: S3StateLocation, options: StateServerOptions = {}): StateBackend {
  const { location, key } = at;
  const store = objectStore(at, options);
  const { acquire, assertConditionalWrites, isHeldBy, release, unlock } = lock(at, store, options);
  return {
    location,
    local: false,
    read: async () => (await store.get(key, true))?.text,
    withLock: (request, work) =>
      withServerLock(
        { location, acquire, release, withdraw: release },
        request,
        options,
        async (info) => {
          await assertConditionalWrites(info);
          const check = async () => {
            if (!(await isHeldBy(info, true))) throw lostLockError(location);
          };
          return work({ ...lockedState(at, store, options), check });
        },
      ),
    unlock,
  };
}

type ObjectStore = ReturnType<typeof objectStore>;

function lock({ location, key }: S3StateLocation, store: ObjectStore, options: StateServerOptions) {
  const lockKey = `${key}.lock`;

  /** Puts the lock if there is none; the meaning of any answer depends on the caller. */
  function putLock<Result>(
    info: LockInfo,
    judge: (answer: StateResponse, error: AmpError) => Promise<AnswerVerdict<Result>>,
  ): Promise<Result> {
    return retryUntilKnown<Result>(options, {
      send: () => store.put(lockKey, JSON.stringify(info), { "if-none-match": "*" }, true),
      judge: (answer) => judge(answer, s3Error(answer, `lock ${location}`)),
    });
  }

  function acquire(info: LockInfo): Promise<LockAttempt> {
    return putLock<LockAttempt>(info, async (answer, error) => {
      if (isSuccess(answer)) return { done: "taken" };
      // 409: another run takes the lock at the same time.
      if (answer.status !== 412) return failed(error, answer, 409);
      const found = await store.get(lockKey, true);
      // The lock was released between the two requests.
      if (found === undefined) return { error, retry: true };
      return { done: { by: parseLockHolder(found.text, info) } };
    });
  }

  /**
   * Puts the lock a second time, which must be refused: a storage that ignores the condition gives
   * the lock to every run.
   * @throws {UsageError} for such a storage
   */
  function assertConditionalWrites(info: LockInfo): Promise<true> {
    return putLock<true>(info, async (answer, error) => {
      if (isSuccess(answer)) return failed(noConditionalWritesError(location), answer);
      return [409, 412].includes(answer.status) ? { done: true } : failed(error, answer);
    });
  }

  async function isHeldBy({ ID }: LockInfo, interruptible: boolean): Promise<boolean> {
    const found = await store.get(lockKey, interruptible);
    return found !== undefined && parseLockHolder(found.text).id === ID;
  }

  async function release(info: LockInfo): Promise<void> {
    if (await isHeldBy(info, false)) await store.remove(lockKey);
  }

  async function unlock(id: string): Promise<void> {
    const found = await store.get(lockKey, true);
    if (found === undefined) throw notLockedError(location);
    const holder = parseLockHolder(found.text);
    if (holder.id !== id) throw differentLockError(location, id, holder);
    await store.remove(lockKey);
  }

  return { acquire, assertConditionalWrites, isHeldBy, release, unlock };
}

/** Reads and saves a state whose lock is held. */
function lockedState(
  { location, key }: S3StateLocation,
  store: ObjectStore,
  options: StateServerOptions,
): Omit<LockedState, "check"> {
  /** The tag of the object as it was read or saved last; empty if there is no object. */
  let etag: string | undefined;
  /** Whether a condition has the tag as the storage wrote it, in quotes. */
  let isQuoted = true;
  let isKept = false;
  /**
   * The digests of all texts that this run has sent: a save may arrive though its answer is lost.
   */
  const sentTexts = new Set<string>();

  async function read(interruptible: boolean): Promise<string | undefined> {
    const stored = await store.get(key, interruptible);
    etag = stored?.etag ?? "";
    return stored?.text;
  }

  /** Puts a text in the place of the one that has a tag; an empty tag: there is no object yet. */
  async function putOver(tag: string, text: string): Promise<StateResponse> {
    const quoted = isQuoted ? tag : tag.replaceAll('"', "");
    const condition = tag === "" ? { "if-none-match": "*" as const } : { "if-match": quoted };
    sentTexts.add(textDigest(text));
    const answer = await store.put(key, text, condition);
    const now = answer.status === 412 ? await store.get(key) : undefined;
    if (now === undefined || now.text === text) return answer;
    if (now.etag !== tag) {
      return sentTexts.has(textDigest(now.text)) ? putOver(now.etag, text) : answer;
    }
    if (!isQuoted) return answer;
    // Ceph compares the tag without its quotes, and so refuses its own one.
    isQuoted = false;
    return putOver(tag, text);
  }

  async function write(text: string): Promise<void> {
    if (etag === undefined) await read(false);
    const tag = etag ?? "";
    etag = await retryUntilKnown<string>(options, {
      send: () => putOver(tag, text),
      judge: async (answer) => {
        if (isSuccess(answer)) return { done: answer.headers.get("etag") ?? (await tagOf(text)) };
        if ([404, 412].includes(answer.status)) return failed(changedError(location), answer);
        return failed(s3Error(answer, `save ${location}`), answer, 409);
      },
      findResult: () => tagOf(text),
    });
    if (isKept) return;
    // A storage may report a save that it drops: the first one is read back.
    if ((await store.get(key))?.text !== text) throw saveLostError(location);
    isKept = true;
  }

  /** @throws {ConflictError} if the object has another text */
  async function tagOf(text: string): Promise<string> {
    const now = await store.get(key);
    if (now?.text === text) return now.etag;
    throw changedError(location);
  }

  return { read: () => read(true), write };
}

function noConditionalWritesError(location: string): UsageError {
  return new UsageError(`The storage of ${location} does not support conditional writes`, {
    detail: "The server ignored the If-None-Match condition.",
    remedy: "Two runs could create every resource twice. Choose another location with --state.",
    done: "Nothing was sent to the service.",
  });
}

function changedError(location: string): ConflictError {
  return new ConflictError(`${location} was changed by another run while it was locked`, {
    remedy: CHECK_OTHER_RUN,
  });
}
