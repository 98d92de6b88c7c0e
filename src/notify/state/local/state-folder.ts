import { lstat, mkdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { lockFolder } from "../../../durable/lock.ts";
import { readHead, readOwnFile } from "../../../durable/read-file.ts";
import { makeFolder, removeLeftovers, syncFolder } from "../../../durable/write-file.ts";
import { UsageError } from "../../../errors.ts";
import { isJournal, isOfEarlierVersion, journalIdOf } from "../format.ts";

/** The paths of the files that belong to a state file. */
export interface StatePlaces {
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

/** The places beside the file, where an amp of state version 3 and before has them. */
export function earlierPlacesOf(file: string): StatePlaces {
  return {
    backup: `${file}.bak`,
    newBackup: `${file}.bak.new`,
    journal: `${file}.journal`,
    reserve: `${file}.reserve`,
    lock: file,
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
      throw new UsageError(`${each} is not a folder`, {
        detail: `amp keeps the lock, journal and backup of ${file} there, and does not follow links.`,
        remedy: "Move it away, or choose another location with --state.",
        done: "Nothing was sent.",
      });
    });
    await syncFolder(dirname(each));
  }
  await writeFile(ignored, "*\n", { mode: 0o600 });
}

/**
 * Whether an amp of before this layout may use the state: it takes its lock beside the file, and
 * refuses a state once the version is a later one.
 */
export async function isSharedWithEarlier(file: string): Promise<boolean> {
  if (await exists(lockFolder(earlierPlacesOf(file).lock))) return true;
  const head = await readHead(file, HEAD_BYTES);
  return head === undefined || isOfEarlierVersion(head);
}

/** Enough bytes to contain the version, which is at the top of a state file. */
const HEAD_BYTES = 256;

/**
 * Removes what an earlier amp left beside a state of this version. Only for the holder of both
 * locks, as its last act: an earlier amp that takes its lock in this moment refuses the version.
 */
export async function removeEarlierPlaces(file: string): Promise<void> {
  const head = await readHead(file, HEAD_BYTES);
  const [earlier, own] = [earlierPlacesOf(file), placesOf(file)];
  const removeLock = () => rm(lockFolder(earlier.lock), { recursive: true, force: true });
  // A run that saved nothing leaves nothing: the next one makes the folder again.
  if (head === undefined) return removeLock().catch(ignore);
  if (isOfEarlierVersion(head)) return;
  const backup = await readOwnFile(own.backup);
  if (backup !== undefined) {
    const needed = journalIdOf(backup);
    const journal = await readOwnFile(earlier.journal);
    const isNeeded = journal !== undefined && needed !== undefined && isJournal(journal, needed);
    // No run begins a journal of its own before it has saved once more, and so replaced this
    // backup.
    if (isNeeded) await rename(earlier.journal, own.journal);
    else await unlink(earlier.journal).catch(ignore);
    await unlink(earlier.backup).catch(ignore);
  }
  await unlink(earlier.newBackup).catch(ignore);
  await unlink(earlier.reserve).catch(ignore);
  for (const each of [earlier.journal, earlier.reserve]) await removeLeftovers(each);
  await removeLock().catch(ignore);
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

function ignore(): void {}
