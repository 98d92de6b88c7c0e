import { randomBytes } from "node:crypto";
import * as node from "node:fs/promises";
import { type FileSystem, removeLeftovers, writeFileDurably } from "../../../durable/write-file.ts";
import { AmpError, UsageError } from "../../../errors.ts";
import { fsReason } from "../../../runtime/fs-reason.ts";

/** What replacing a state takes of the file system; a test lets its steps fail one by one. */
export interface StateFileSystem extends FileSystem {
  link(existing: string, path: string): Promise<void>;
}

/** The real one. */
export const realDisk: StateFileSystem = node;

/** The state before the last save. */
export function backupPath(path: string): string {
  return `${path}.bak`;
}

/**
 * The file itself where a symbolic link stands in its place, so that the lock and the state are the
 * same under both names.
 * @throws {UsageError} for a link to nothing: whoever made it would say where a state comes about
 */
export async function resolveStateFile(path: string): Promise<string> {
  try {
    return await node.realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const found = await node.lstat(path).catch(ifMissing);
  // Another run may have made it just now.
  if (!found?.isSymbolicLink()) return path;
  throw new UsageError(`${path} is a symbolic link to a file that does not exist`);
}

/**
 * Puts a text in the place of a file; what stood there becomes the backup. Each step leaves a whole
 * state under the file's own name.
 */
export async function replaceStateFile(
  path: string,
  text: string,
  fs: StateFileSystem,
): Promise<void> {
  await linkBackup(path, fs);
  await writeFileDurably(path, text, { fs });
}

/** A second name for what is there: it takes no room, and was synced when it was written. */
async function linkBackup(path: string, fs: StateFileSystem): Promise<void> {
  const fresh = newBackupPath(path);
  try {
    await fs.link(path, fresh).catch(async (error) => {
      if (errorCode(error) !== "EEXIST") throw error;
      // Left by a rename between two names of one file, which does nothing at all.
      await fs.unlink(fresh);
      await fs.link(path, fresh);
    });
  } catch (error) {
    return ifMissing(error);
  }
  await fs.rename(fresh, backupPath(path));
}

/** Removes what killed runs left beside the file. Only for the holder of its lock. */
export async function removeStateLeftovers(path: string): Promise<void> {
  await removeLeftovers(path);
  await node.unlink(newBackupPath(path)).catch(ifMissing);
}

function newBackupPath(path: string): string {
  return `${backupPath(path)}.new`;
}

function ifMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
}

function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/**
 * What a failure with the state's file is to be thrown as: what the file system says against it is
 * the user's to mend, and no defect of amp.
 * @param does for example `save`
 */
export function diskError(does: string, path: string, error: unknown): AmpError {
  if (error instanceof AmpError) return error;
  return new UsageError(`Cannot ${does} ${path}: ${fsReason(error)}`, {}, { cause: error });
}

const MIN_BYTES = 64 * 1024;

/** Room on the disk that is kept for the results of creates that are about to be sent. */
export interface DiskReserve {
  /** Makes it, or makes it larger, so that a state somewhat longer than this one has room. */
  keep(text: string): Promise<void>;
  /** @returns false where there was none */
  giveUp(): Promise<boolean>;
  /** Removes what a killed run left. */
  clear(): Promise<void>;
}

/** The reserve beside a state file. */
export function diskReserve(path: string, fs: StateFileSystem): DiskReserve {
  const file = `${path}.reserve`;
  let size = 0;

  async function giveUp(): Promise<boolean> {
    const there = size > 0;
    size = 0;
    await fs.unlink(file).catch(() => {});
    return there;
  }

  return {
    keep: async (text) => {
      const wanted = Math.max(MIN_BYTES, 2 * Buffer.byteLength(text));
      if (size >= wanted / 2 && size >= MIN_BYTES) return;
      // Random: a disk that compresses would keep no room for zeros.
      await writeFileDurably(file, randomBytes(wanted), { fs });
      size = wanted;
    },
    giveUp,
    clear: async () => {
      await removeLeftovers(file);
      await giveUp();
    },
  };
}
