import { lstatSync, readFileSync } from "node:fs";
import { mkdir, rename, unlink } from "node:fs/promises";
import { type LockOptions, withLock } from "../durable/lock.ts";
import { removeLeftovers, writeFileDurably } from "../durable/write-file.ts";
import { ConflictError, UsageError } from "../errors.ts";
import {
  CREDENTIALS_VERSION,
  credentialsPath,
  readCredentials,
  type StoredCredential,
} from "./credentials-file.ts";
import { fileError } from "./own-file.ts";
import {
  type ProfileFile,
  profileFilePath,
  readIfExists,
  readProfileFile,
} from "./profile-file.ts";

/** How changes are made. */
export interface ChangeOptions {
  /** Ends the wait for another process that changes profiles. */
  readonly signal?: AbortSignal;
  /** The longest wait for it, in milliseconds; 30 s by default: a pipeline may log in many times at once. */
  readonly wait?: number;
}

/** Both files of a folder, read under the lock. Each is on the disk as soon as it is set. */
export interface LockedProfiles {
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
  change: (open: LockedProfiles) => Promise<void>,
): Promise<void> {
  const path = profileFilePath(folder);
  try {
    await withLock(path, lockOptions(options), () => change(readLockedProfiles(folder)));
  } catch (error) {
    throw fileError("lock", path, error);
  }
}

/** How the lock of a folder is taken. */
export function lockOptions({ signal, wait = 30_000 }: ChangeOptions): LockOptions {
  return { wait, command: "amp auth", ...(signal ? { signal } : {}) };
}

function readLockedProfiles(folder: string): LockedProfiles {
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

/**
 * Writes the profiles with conf, which keeps the keys of the file that are not ours. Only for the
 * holder of the folder's lock, who has read the file under it: conf has no lock of its own.
 * @throws {UsageError} where the file cannot be written; the old one is in its place then
 */
export async function writeProfileFile(folder: string, file: ProfileFile): Promise<void> {
  const path = profileFilePath(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const before = readIfExists(path);
    const written = await writeWithConf(folder, file);
    // On a nearly full disk the library that conf writes with reports success for half a file.
    if (readFileSync(path, "utf8") === written) return;
    await (before === undefined ? unlink(path) : writeFileDurably(path, before));
  } catch (error) {
    throw fileError("write", path, error);
  }
  throw new UsageError(`Cannot write ${path}: only a part of it arrived`, {
    done: "The profiles are as they were.",
    remedy: "See whether the disk is full.",
  });
}

/** @returns the text that must be in the file now */
async function writeWithConf(folder: string, file: ProfileFile): Promise<string> {
  // Loading conf takes longer than everything else here.
  const { default: Conf } = await import("conf");
  let text = "";
  const conf = new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: "config",
    configFileMode: 0o600,
    // A profile may be named `a.b`.
    accessPropertiesByDotNotation: false,
    serialize(value) {
      text = `${JSON.stringify(value, undefined, 2)}\n`;
      return text;
    },
  });
  const { active: _, ...others } = conf.store;
  const active = file.active === undefined ? {} : { active: file.active };
  conf.store = { ...others, ...active, profiles: Object.fromEntries(file.profiles) };
  return text;
}

/**
 * Writes the secrets, 0600, and removes what a killed writer may have left of older ones. Only for
 * the holder of the folder's lock.
 * @throws {UsageError} where the file cannot be written; the old one is in its place then
 */
export async function writeCredentials(
  folder: string,
  credentials: ReadonlyMap<string, StoredCredential>,
): Promise<void> {
  const path = credentialsPath(folder);
  const revealed = [...credentials].map(
    ([name, { kind, secret, origin }]) =>
      [name, { kind, secret: secret.reveal(), origin }] as const,
  );
  const file = { version: CREDENTIALS_VERSION, credentials: Object.fromEntries(revealed) };
  try {
    await writeFileDurably(path, `${JSON.stringify(file, undefined, 2)}\n`);
    await removeLeftovers(path);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** A file that was moved, and where it is now. */
export interface MovedFile {
  readonly from: string;
  readonly to: string;
}

/**
 * Refuses to go on over files that cannot be read or understood.
 * @throws {UsageError} for the first of them, with the way out
 */
export function assertReadable(folder: string): void {
  for (const { read } of filesOfFolder(folder)) {
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
export async function moveUnreadableAside(
  folder: string,
  options: ChangeOptions,
  now: Date,
): Promise<MovedFile[]> {
  const lock = profileFilePath(folder);
  const moved: MovedFile[] = [];
  try {
    await withLock(lock, lockOptions(options), async () => {
      for (const { path, read } of filesOfFolder(folder)) {
        if (isReadable(read)) continue;
        const to = backupPath(path, now);
        await rename(path, to);
        moved.push({ from: path, to });
      }
    });
  } catch (error) {
    throw fileError("move aside", lock, error);
  }
  return moved;
}

function filesOfFolder(folder: string) {
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
function backupPath(path: string, now: Date): string {
  const name = `${path}.${now.toISOString().replaceAll(":", "-")}.bak`;
  if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  throw new ConflictError(`${name} exists already`, {
    done: "Nothing was moved.",
    remedy: "Try again.",
  });
}
