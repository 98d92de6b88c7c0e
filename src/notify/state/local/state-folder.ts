import { lstat, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder, syncFolder } from "../../../durable/write-file.ts";
import { routingErrors } from "../../errors.ts";

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
