import { stat } from "node:fs/promises";
import { ConflictError } from "../errors.ts";
import { newestGeneration, readRecord, recordPath, releaseRecord } from "./generations.ts";
import { lockFolder, withLock } from "./lock.ts";
import { isProvablyAlive, type Owner, parseOwner } from "./owner.ts";

/** The outcome of an attempt to remove a lock. */
export type LockRemoval =
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
  const { number, released } = await newestGeneration(folder);
  const record = recordPath(folder, number);
  const text = number === 0 || released ? undefined : await readRecord(record);
  if (text === undefined) return { kind: "not-locked" };
  const owner = parseOwner(text);
  if (owner?.id !== id) return { kind: "other", owner };
  if (!force && isProvablyAlive(owner)) return { kind: "alive", owner };
  await releaseRecord(record);
  // The next generation removes the record, so that an owner that is still alive notices.
  await withLock(path, { command: "amp notify unlock" }, async () => {}).catch((error) => {
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
