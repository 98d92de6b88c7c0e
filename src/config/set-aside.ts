import { lstatSync } from "node:fs";
import { rename } from "node:fs/promises";
import { withLock } from "../durable/lock.ts";
import { ConflictError, UsageError } from "../errors.ts";
import { type ChangeOptions, lockOptions } from "./change-profiles.ts";
import { credentialsPath, readCredentials } from "./credentials.ts";
import { fileError } from "./file-error.ts";
import { profileFilePath, readProfileFile } from "./profile-file.ts";

/** A file that was moved, and where it is now. */
export interface SetAside {
  readonly from: string;
  readonly to: string;
}

/**
 * Refuses to go on over files that cannot be read or understood.
 * @throws {UsageError} for the first of them, with the way out
 */
export function requireReadable(folder: string): void {
  for (const { read } of filesOf(folder)) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw error.with({
        done: "Nothing was sent and nothing saved; the file was left as it is.",
        remedy: "Mend it, or add --reset: it is moved aside then, and a new one begun.",
        suggestion: "amp auth login --reset",
      });
    }
  }
}

/**
 * Moves the files of a folder that cannot be read or understood aside, under their lock. Nothing is
 * deleted: their names get the time.
 */
export async function setAsideUnreadable(
  folder: string,
  options: ChangeOptions,
  now: Date,
): Promise<SetAside[]> {
  const lock = profileFilePath(folder);
  const moved: SetAside[] = [];
  try {
    await withLock(lock, lockOptions(options), async () => {
      for (const { path, read } of filesOf(folder)) {
        if (isReadable(read)) continue;
        const to = freeName(path, now);
        await rename(path, to);
        moved.push({ from: path, to });
      }
    });
  } catch (error) {
    throw fileError("move aside", lock, error);
  }
  return moved;
}

function filesOf(folder: string) {
  return [
    { path: profileFilePath(folder), read: () => void readProfileFile(folder) },
    { path: credentialsPath(folder), read: () => void readCredentials(folder) },
  ];
}

function isReadable(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Windows takes no colon in a name. */
function freeName(path: string, now: Date): string {
  const name = `${path}.${now.toISOString().replaceAll(":", "-")}.bak`;
  if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  throw new ConflictError(`${name} exists already`, {
    done: "Nothing was moved.",
    remedy: "Try again.",
  });
}
