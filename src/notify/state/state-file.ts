import * as node from "node:fs/promises";
import { type FileSystem, removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import { UsageError } from "../../errors.ts";

/** What replacing a state takes of the file system; a test lets its steps fail one by one. */
export interface StateFileSystem extends FileSystem {
  link(existing: string, path: string): Promise<void>;
}

/** The real one. */
export const realDisk: StateFileSystem = node;

/** The state before the last save. */
export function backupOf(path: string): string {
  return `${path}.bak`;
}

/**
 * The file itself where a symbolic link stands in its place, so that the lock and the state are the
 * same under both names.
 * @throws {UsageError} for a link to nothing: whoever made it would say where a state comes about
 */
export async function fileBehind(path: string): Promise<string> {
  try {
    return await node.realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
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
  await keepBackup(path, fs);
  await writeFileDurably(path, text, { fs });
}

/** A second name for what is there: it takes no room, and was synced when it was written. */
async function keepBackup(path: string, fs: StateFileSystem): Promise<void> {
  const fresh = freshBackupOf(path);
  try {
    await fs.link(path, fresh).catch(async (error) => {
      if (codeOf(error) !== "EEXIST") throw error;
      // Left by a rename between two names of one file, which does nothing at all.
      await fs.unlink(fresh);
      await fs.link(path, fresh);
    });
  } catch (error) {
    return ifMissing(error);
  }
  await fs.rename(fresh, backupOf(path));
}

/** Removes what killed runs left beside the file. Only for the holder of its lock. */
export async function removeStateLeftovers(path: string): Promise<void> {
  await removeLeftovers(path);
  await node.unlink(freshBackupOf(path)).catch(ifMissing);
}

function freshBackupOf(path: string): string {
  return `${backupOf(path)}.new`;
}

function ifMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
