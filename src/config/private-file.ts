import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from "node:fs";
import { platform } from "node:os";
import { checkOpened } from "../durable/read-file.ts";
import { UsageError } from "../errors.ts";
import { withFile } from "./file-error.ts";

/** A file that nobody else may read, and what was said or done about that, a line each. */
export interface PrivateText {
  readonly text: string;
  readonly notices: readonly string[];
}

/**
 * Reads a file of secrets. One that others can read is made private, and a notice says so.
 * @param uid the user, where the system knows such a thing
 * @returns undefined where there is no such file
 * @throws {UsageError} for a symbolic link, for what is no file, and for another user's file
 */
export function readPrivateFile(path: string, uid: number | undefined): PrivateText | undefined {
  return withFile("read", path, () => {
    const file = openIfThere(path);
    if (file === undefined) return undefined;
    try {
      const notices = checkPrivate(file, path, uid);
      return { text: readFileSync(file, "utf8"), notices };
    } finally {
      closeSync(file);
    }
  });
}

function openIfThere(path: string): number | undefined {
  // Not through a link, and without waiting for the writer of a pipe. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function checkPrivate(file: number, path: string, uid: number | undefined): string[] {
  const stat = fstatSync(file);
  checkOpened(stat, path);
  if (platform() === "win32") return [];
  if (uid !== undefined && stat.uid !== uid) {
    throw new UsageError(`${path} belongs to another user`, {
      remedy:
        "Secrets are read from your own files alone. Set it aside with: amp auth login --reset",
    });
  }
  const mode = stat.mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  const found = `${path} could be read by others (mode 0${mode.toString(8)})`;
  try {
    fchmodSync(file, 0o600);
    return [`${found}; it is private now (0600).`];
  } catch {
    return [`${found}, and its mode cannot be changed.`];
  }
}
