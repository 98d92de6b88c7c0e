import { randomBytes } from "node:crypto";
import * as node from "node:fs/promises";
import { lstat, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { readOwnFile } from "../../../durable/read-file.ts";
import {
  type FileSystem,
  makeFolder,
  removeLeftovers,
  syncFolder,
  writeFileDurably,
} from "../../../durable/write-file.ts";
import { AmpError } from "../../../errors.ts";
import { fsReason } from "../../../runtime/fs-reason.ts";
import { isWithin } from "../../../values/basics.ts";
import { inputErrors } from "../../../values/errors.ts";
import { routingErrors } from "../../errors.ts";
import { isJournal, journalIdOf, withJournal } from "../format.ts";

/** The paths of the files that belong to a state file. */
interface StatePlaces {
  readonly backup: string;
  /** The second name of the state on its way to be the backup. */
  readonly newBackup: string;
  readonly journal: string;
  readonly reserve: string;
  /** The path that the lock is taken for. */
  readonly lock: string;
}

/** The hidden folder beside a state file, with everything else that belongs to it. */
export function stateFolder(file: string): string {
  return join(dirname(file), ".amp-admin", basename(file));
}

/** The places in the folder of a state file. */
export function placesOf(file: string): StatePlaces {
  const folder = stateFolder(file);
  return {
    backup: join(folder, "backup"),
    newBackup: join(folder, "backup.new"),
    journal: join(folder, "journal"),
    reserve: join(folder, "reserve"),
    lock: join(folder, "state"),
  };
}

/**
 * Makes the folder of a state file, which version control ignores. Its entry is synced: a state may
 * need the journal in it.
 * @throws {UsageError} for a link in its place: its maker would decide where amp writes and deletes
 */
export async function makeStateFolder(file: string): Promise<void> {
  const folder = stateFolder(file);
  const ignored = join(folder, ".gitignore");
  const outer = dirname(folder);
  if ((await isFolder(outer)) && (await isFolder(folder)) && (await exists(ignored))) return;
  await makeFolder(dirname(outer));
  for (const each of [outer, folder]) {
    await mkdir(each, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      if (await isFolder(each)) return;
      throw routingErrors.state_folder_not_folder(each, file);
    });
    await syncFolder(dirname(each));
  }
  await writeFile(ignored, "*\n", { mode: 0o600 });
}

/** Asks the system whether a file, and the folders that it needs, may be written. */
export async function assertWritable(file: string): Promise<void> {
  let folder = dirname(file);
  while (!(await exists(folder))) folder = dirname(folder);
  await node.access(folder, node.constants.W_OK);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The file system calls that replacing a state uses; a test lets them fail one by one. */
export interface StateFileSystem extends FileSystem {
  link(existing: string, path: string): Promise<void>;
}

/** The file system of this machine. */
export const realDisk: StateFileSystem = node;

/**
 * Resolves a symbolic link, so that the lock and the state are the same under both names.
 * @param checkout the folder of the project, if the path is in it
 * @throws {UsageError} for a link to nothing or out of its folder, and a folder that is a link out
 * of the project: its maker would decide where amp writes; and for a file with a second name, under
 * which a run would see neither the lock nor the saves
 */
export async function resolveStateFile(path: string, checkout?: string): Promise<string> {
  if (checkout !== undefined) await assertInCheckout(path, checkout);
  try {
    const file = await node.realpath(path);
    await assertInFolder(path, file);
    await assertOneName(file);
    return file;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const found = await node.lstat(path).catch(ignoreMissing);
  // Another run may have made the file just now.
  if (!found?.isSymbolicLink()) return path;
  throw routingErrors.state_link_broken(path);
}

async function assertInCheckout(path: string, checkout: string): Promise<void> {
  const { folder, real } = await nearestFolder(dirname(path));
  if (isWithin(await node.realpath(checkout), real)) return;
  throw routingErrors.state_below_link(path, real, checkout, join(real, relative(folder, path)));
}

/** A folder, or the nearest one above it that is there, below which amp makes the others. */
async function nearestFolder(folder: string): Promise<{ folder: string; real: string }> {
  const real = await node.realpath(folder).catch(ignoreMissing);
  return real === undefined ? nearestFolder(dirname(folder)) : { folder, real };
}

async function assertInFolder(path: string, file: string): Promise<void> {
  if (isWithin(await node.realpath(dirname(path)), file)) return;
  throw routingErrors.state_link_outside(path, file);
}

async function assertOneName(file: string): Promise<void> {
  const found = await node.lstat(file);
  const { nlink, ino } = found;
  if (nlink === 1 || !found.isFile()) return;
  // A save, and a run that was killed in one, has the backup as a second name. In this order,
  // because another run's save may rename the first to the second now.
  let own = 1;
  const { newBackup, backup } = placesOf(file);
  for (const name of [newBackup, backup]) {
    if ((await node.lstat(name).catch(ignoreMissing))?.ino === ino) own += 1;
  }
  // A save that ended in the meantime has replaced the file.
  if (nlink <= own || (await node.lstat(file)).ino !== ino) return;
  throw routingErrors.state_linked_twice(file);
}

/**
 * Reads a state file with the journal that it needs. Without the lock, a run may replace both in
 * the meantime.
 */
export async function readStateFile(path: string): Promise<string | undefined> {
  for (let text = await readOwnFile(path); ; ) {
    const id = journalIdOf(text ?? "");
    if (text === undefined || id === undefined) return text;
    const journal = await readOwnFile(placesOf(path).journal);
    if (journal !== undefined && isJournal(journal, id)) return withJournal(text, journal);
    const now = await readOwnFile(path);
    if (now === text) return text;
    text = now;
  }
}

/**
 * Puts a text in the place of a file; the previous text becomes the backup. Each step leaves a
 * whole state under the file's own name.
 */
export async function replaceStateFile(path: string, text: string, fs: StateFileSystem) {
  await linkBackup(path, fs);
  await writeFileDurably(path, text, { fs });
}

/** Makes the backup as a second name: it needs no room, and its content is synced already. */
async function linkBackup(path: string, fs: StateFileSystem): Promise<void> {
  const { newBackup: fresh, backup } = placesOf(path);
  try {
    await fs.link(path, fresh).catch(async (error) => {
      if (errorCode(error) !== "EEXIST") throw error;
      // A rename between two names of one file does nothing at all, and so left this one.
      await fs.unlink(fresh);
      await fs.link(path, fresh);
    });
  } catch (error) {
    return ignoreMissing(error);
  }
  await fs.rename(fresh, backup);
}

/** Removes the unfinished files that killed runs left. Only for the holder of its lock. */
export async function removeStateLeftovers(path: string): Promise<void> {
  const { journal, newBackup } = placesOf(path);
  await removeLeftovers(path);
  await removeLeftovers(journal);
  await node.unlink(newBackup).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
}

function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/**
 * The error for a failed file operation: the user can fix what the file system reports, and it is
 * no defect of amp.
 * @param action for example `save`
 */
export function diskError(action: string, path: string, error: unknown): AmpError {
  if (error instanceof AmpError) return error;
  const isRefused = /^E(?:ACCES|PERM|ROFS)$/u.test(errorCode(error) ?? "");
  const remedy = isRefused ? "Make its folder writable, or set another state." : undefined;
  return inputErrors.file_unusable(action, path, fsReason(error), error, remedy);
}

const MIN_RESERVE_BYTES = 64 * 1024;

/**
 * Room on the disk for the results of writes that are about to be sent; see {@link diskReserve}.
 */
export type DiskReserve = ReturnType<typeof diskReserve>;

/** The reserve of a state file. */
export function diskReserve(path: string, fs: StateFileSystem) {
  const file = placesOf(path).reserve;
  let size = 0;

  /** Gives the room up. @returns false if there was no reserve */
  async function release(): Promise<boolean> {
    const existed = size > 0;
    size = 0;
    await fs.unlink(file).catch(() => {});
    return existed;
  }

  return {
    /** Makes or enlarges the reserve, so that a state somewhat longer than this has room. */
    ensure: async (bytes: number): Promise<void> => {
      const wanted = Math.max(MIN_RESERVE_BYTES, 2 * bytes);
      if (size >= wanted / 2 && size >= MIN_RESERVE_BYTES) return;
      // Random bytes, for a disk that compresses would keep no room for zeros.
      await writeFileDurably(file, randomBytes(wanted), { fs });
      size = wanted;
    },
    release,
    /** Removes the reserve of a killed run. */
    clear: async (): Promise<void> => {
      await removeLeftovers(file);
      await release();
    },
  };
}
