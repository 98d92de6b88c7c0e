import { lstatSync } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { withLock } from "../durable/lock.ts";
import { removeLeftovers, writeFileDurably } from "../durable/write-file.ts";
import { ConflictError, UsageError } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  CREDENTIALS_VERSION,
  credentialsPath,
  readCredentials,
  type StoredCredential,
} from "./credentials-file.ts";
import { fileError, parseJsonText, readIfExists } from "./own-file.ts";
import {
  type Profile,
  type ProfileFile,
  profileFilePath,
  readProfileFile,
} from "./profile-file.ts";

/** The options of a change. */
export interface ChangeOptions {
  /** Ends the wait for the lock when aborted. */
  readonly signal?: AbortSignal;
  /**
   * The longest wait for the lock, in milliseconds; 30 s by default, because a pipeline may log in
   * many times at once.
   */
  readonly wait?: number;
}

/** Both files of a folder, read under the lock. A change is on the disk once it is written. */
export interface LockedProfiles {
  active: string | undefined;
  readonly profiles: Map<string, Profile>;
  /** The secrets that belong to a profile, without those that a crash left behind. */
  readonly secrets: Map<string, StoredCredential>;
  writeProfiles(): Promise<void>;
  writeSecrets(): Promise<void>;
}

/**
 * Changes the profiles and secrets of a folder, under its lock.
 * @throws {ConflictError} if another process holds the lock for too long
 * @throws {UsageError} if a file is not valid (nothing is written then), or cannot be written
 */
export async function changeProfiles(
  folder: string,
  options: ChangeOptions,
  change: (open: LockedProfiles) => Promise<void>,
): Promise<void> {
  await withFolderLock("lock", folder, options, () => change(readLockedProfiles(folder)));
}

async function withFolderLock(
  does: string,
  folder: string,
  { signal, wait = 30_000 }: ChangeOptions,
  work: () => Promise<void>,
): Promise<void> {
  const path = profileFilePath(folder);
  try {
    await withLock(path, { wait, command: "amp auth", ...(signal ? { signal } : {}) }, work);
  } catch (error) {
    throw fileError(does, path, error);
  }
}

function readLockedProfiles(folder: string): LockedProfiles {
  // Both files are read before anything is written: one that is not valid stops the whole change.
  const { active, profiles } = readProfileFile(folder);
  const stored = readCredentials(folder).credentials;
  let hasSecretsFile = stored.size > 0;
  return {
    active,
    profiles: new Map(profiles),
    secrets: new Map([...stored].filter(([name]) => profiles.has(name))),
    writeProfiles() {
      return writeProfileFile(folder, this);
    },
    async writeSecrets() {
      hasSecretsFile ||= this.secrets.size > 0;
      if (hasSecretsFile) await writeCredentials(folder, this.secrets);
    },
  };
}

/** Writes the profiles; keys of the file that this version does not know are kept. */
async function writeProfileFile(folder: string, { active, profiles }: ProfileFile): Promise<void> {
  const path = profileFilePath(folder);
  try {
    const before = readIfExists(path);
    const conf = await openConf(folder);
    conf.store = { ...conf.store, active, profiles: Object.fromEntries(profiles) };
    // On a nearly full disk the library that conf writes with ignores that a part of the text is
    // missing; a part of a JSON document is never valid.
    if (isReadable(() => readProfileFile(folder))) return;
    await (before === undefined ? unlink(path) : writeFileDurably(path, before));
  } catch (error) {
    throw fileError("write", path, error);
  }
  throw new UsageError(`Cannot write ${path}: only a part of it was written`, {
    done: "The profiles were not changed.",
    remedy: "Check whether the disk is full.",
  });
}

/**
 * Opens conf, which writes the file atomically and with mode 0600. It has no lock: only the holder
 * of the folder's lock may call this.
 */
async function openConf(folder: string) {
  const { default: Conf } = await import("conf");
  return new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: "config",
    configFileMode: 0o600,
    // A profile may be named `a.b`.
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parseJsonText(text, profileFilePath(folder)) as Record<string, unknown>,
  });
}

/** Writes the secrets with mode 0600, and removes leftovers of a killed process. */
export async function writeCredentials(
  folder: string,
  credentials: ReadonlyMap<string, StoredCredential>,
): Promise<void> {
  const path = credentialsPath(folder);
  const revealed = [...credentials].map(([name, { secret, ...more }]) => [
    name,
    { ...more, secret: secret.reveal() },
  ]);
  const file = { version: CREDENTIALS_VERSION, credentials: Object.fromEntries(revealed) };
  try {
    await writeFileDurably(path, `${JSON.stringify(file, undefined, 2)}\n`);
    await removeLeftovers(path);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

/** A file that was moved. */
export interface MovedFile {
  readonly from: string;
  readonly to: string;
}

/**
 * Refuses a folder with a file that is not valid.
 * @throws {UsageError} for the first such file, with the way out
 */
export function assertReadable(folder: string): void {
  for (const { read } of filesOfFolder(folder)) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw error.setFacts({
        done: "Nothing was sent or saved; the file was not changed.",
        remedy: "Fix the file, or add --reset to move it aside and begin a new one.",
        suggestion: suggest("auth login", [], { reset: true }),
      });
    }
  }
}

/**
 * Moves the files of a folder that are not valid aside, under the lock. Nothing is deleted: each
 * gets the time in its name.
 */
export async function moveUnreadableAside(
  folder: string,
  options: ChangeOptions,
  now: Date,
): Promise<MovedFile[]> {
  const moved: MovedFile[] = [];
  await withFolderLock("move aside", folder, options, async () => {
    for (const { path, read } of filesOfFolder(folder)) {
      if (isReadable(read)) continue;
      const to = backupPath(path, now);
      await rename(path, to);
      moved.push({ from: path, to });
    }
  });
  return moved;
}

function filesOfFolder(folder: string) {
  return [
    { path: profileFilePath(folder), read: () => readProfileFile(folder) },
    { path: credentialsPath(folder), read: () => readCredentials(folder) },
  ];
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** A name with the time; Windows allows no colon in it. */
function backupPath(path: string, now: Date): string {
  const name = `${path}.${now.toISOString().replaceAll(":", "-")}.bak`;
  if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  throw new ConflictError(`${name} already exists`, {
    done: "Nothing was moved.",
    remedy: "Try again.",
  });
}
