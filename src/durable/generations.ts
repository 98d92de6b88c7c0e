import { link, lstat, readdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { durableErrors } from "./errors.ts";
import type { Owner } from "./owner.ts";
import { makeFolder } from "./write-file.ts";

const RELEASED = ".released";
const DRAFT = ".draft";

/** The newest generation of a lock's folder; its number is 0 if there is none yet. */
export interface NewestGeneration {
  readonly number: number;
  readonly released: boolean;
}

/**
 * Finds the newest generation, and makes the folder if it is missing.
 * @throws {UsageError} for a link in its place: its maker would decide where amp writes and deletes
 */
export async function newestGeneration(folder: string): Promise<NewestGeneration> {
  await makeFolder(folder);
  if (!(await lstat(folder)).isDirectory()) throw durableErrors.lock_place_not_folder(folder);
  const names = await readdir(folder);
  const number = names.reduce((highest, name) => Math.max(highest, numberOf(name)), 0);
  return { number, released: names.includes(`${number}${RELEASED}`) };
}

/** The path of a generation's record. */
export function recordPath(folder: string, number: number): string {
  return join(folder, `${number}`);
}

/**
 * Makes a generation by a hard link to a finished record, so that no process reads half of one.
 * @returns false if another process was faster
 */
export async function placeRecord(folder: string, number: number, owner: Owner): Promise<boolean> {
  const draft = join(folder, `${owner.id}${DRAFT}`);
  try {
    // The record is synced: one that a power failure emptied could never be proved dead.
    await writeFile(draft, JSON.stringify(owner), { flag: "wx", mode: 0o600, flush: true });
    await link(draft, recordPath(folder, number));
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // ENOENT: the holder of the lock took the draft for a leftover.
    if (syscall === "link" && (code === "EEXIST" || code === "ENOENT")) return false;
    if (syscall === "link" && (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS"))
      throw durableErrors.lock_place_without_links(folder);
    throw error;
  } finally {
    await removeRecord(draft);
  }
}

/** Releases a generation by a second link, which needs no room on a full disk. */
export async function releaseRecord(record: string): Promise<void> {
  // If this fails, the lock is free as soon as this process has ended.
  await link(record, `${record}${RELEASED}`).catch(() => {});
}

/** Removes a record, if it is there. */
export async function removeRecord(record: string): Promise<void> {
  await unlink(record).catch(() => {});
}

/**
 * Removes the files of earlier holders; only for the holder of the newest generation. Removal goes
 * upwards and stops at the first failure: a number is gone only when all below it are, and the
 * newest one never goes, so that a latecomer can notice that its number is an old one.
 */
export async function removeOlder(folder: string, number: number): Promise<void> {
  try {
    const names = await readdir(folder);
    const older = names.map(numberOf).filter((each) => each > 0 && each < number);
    for (const each of older.sort((a, b) => a - b)) await unlink(recordPath(folder, each));
    const marks = names.filter(
      (name) => name.endsWith(RELEASED) && Number.parseInt(name, 10) < number,
    );
    const drafts = names.filter((name) => name.endsWith(DRAFT));
    for (const name of [...marks, ...drafts]) await removeRecord(join(folder, name));
  } catch {
    // The next holder tries again.
  }
}

function numberOf(name: string): number {
  return /^\d{1,15}$/u.test(name) ? Number(name) : 0;
}
