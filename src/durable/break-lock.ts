import { stat } from "node:fs/promises";
import { ConflictError } from "../errors.ts";
import { newestGeneration, readRecord, recordOf, releaseRecord } from "./generations.ts";
import { withLock } from "./lock.ts";
import { type Owner, parseOwner } from "./owner.ts";

/** What became of an attempt to take a lock away. */
export type LockRemoval =
  | { readonly kind: "broken" }
  | { readonly kind: "not-locked" }
  /** Undefined for a record that cannot be read. */
  | { readonly kind: "other"; readonly owner: Owner | undefined };

/**
 * Takes a lock from an owner that cannot give it back, or that nobody can prove dead: on a host
 * that is gone, for example.
 * @param id of the acquisition that is meant, so that a newer one is never broken
 */
export async function breakLock(path: string, id: string): Promise<LockRemoval> {
  const folder = `${path}.lock.d`;
  if (!(await exists(folder))) return { kind: "not-locked" };
  const { number, released } = await newestGeneration(folder);
  const record = recordOf(folder, number);
  const text = number === 0 || released ? undefined : await readRecord(record);
  if (text === undefined) return { kind: "not-locked" };
  const owner = parseOwner(text);
  if (owner?.id !== id) return { kind: "other", owner };
  await releaseRecord(record);
  // The next generation removes the record, by which the owner notices, should it live.
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
