import { type LockOptions, withLock } from "../durable/lock.ts";
import { readCredentials, type StoredCredential } from "./credentials.ts";
import { fileError } from "./file-error.ts";
import { type ProfileFile, profileFilePath, readProfileFile } from "./profile-file.ts";
import { writeCredentials } from "./write-credentials.ts";
import { writeProfileFile } from "./write-profile-file.ts";

/** How changes are made. */
export interface ChangeOptions {
  /** Ends the wait for another process that changes profiles. */
  readonly signal?: AbortSignal;
  /** The longest wait for it, in milliseconds; 30 s by default: a pipeline may log in many times at once. */
  readonly wait?: number;
}

/** Both files of a folder, read under the lock. Each is on the disk as soon as it is set. */
export interface OpenProfiles {
  readonly file: ProfileFile;
  readonly secrets: ReadonlyMap<string, StoredCredential>;
  setFile(file: ProfileFile): Promise<void>;
  setSecrets(secrets: ReadonlyMap<string, StoredCredential>): Promise<void>;
}

/**
 * Changes the profiles and secrets of a folder while nobody else does.
 * @throws {ConflictError} where another process goes on changing them
 * @throws {UsageError} where a file cannot be understood (nothing is written then), or written
 */
export async function changeProfiles(
  folder: string,
  options: ChangeOptions,
  change: (open: OpenProfiles) => Promise<void>,
): Promise<void> {
  const path = profileFilePath(folder);
  try {
    await withLock(path, lockOptions(options), () => change(openProfiles(folder)));
  } catch (error) {
    throw fileError("lock", path, error);
  }
}

/** How the lock of a folder is taken. */
export function lockOptions({ signal, wait = 30_000 }: ChangeOptions): LockOptions {
  return { wait, command: "amp auth", ...(signal ? { signal } : {}) };
}

function openProfiles(folder: string): OpenProfiles {
  // Both are read before anything is written: a broken one stops the change as a whole.
  let file = readProfileFile(folder);
  let secrets = readCredentials(folder).credentials;
  return {
    get file() {
      return file;
    },
    get secrets() {
      return secrets;
    },
    async setFile(next) {
      await writeProfileFile(folder, next);
      file = next;
    },
    async setSecrets(next) {
      if (next.size === 0 && secrets.size === 0) return;
      await writeCredentials(folder, next);
      secrets = new Map(next);
    },
  };
}
