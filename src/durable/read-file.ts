import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { sizeText } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";

/** The size limit: far more than amp ever writes. */
const MAX_BYTES = 64 * 2 ** 20;

/** The flags that do not wait for the writer of a pipe. Windows has no such flag. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Checks the opened file, not its path, which may name another file by now.
 * @param most maximum bytes
 * @throws {UsageError} for a pipe, a device, a folder, and for a file that is too large
 */
function assertOwnFile(opened: Stats, path: string, most = MAX_BYTES): void {
  if (!opened.isFile()) throw inputErrors.file_not_regular(path);
  if (opened.size <= most) return;
  throw inputErrors.file_too_large(path, sizeText(most));
}

/**
 * Reads a file that amp wrote; undefined if there is no file.
 * @throws the errors of {@link assertOwnFile}
 */
export function readOwnFile(path: string): Promise<string | undefined> {
  return readOpened(path, async (file) => {
    assertOwnFile(await file.stat(), path);
    return file.readFile("utf8");
  });
}

/**
 * Reads the first bytes of a file, which may be large. Undefined if the file does not exist.
 * @param bytes the most that is read; a character at their end may be cut
 */
export function readHead(path: string, bytes: number): Promise<string | undefined> {
  return readOpened(path, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  });
}

async function readOpened(path: string, read: (file: FileHandle) => Promise<string>) {
  // The import is lazy: every command loads this file for the synchronous reader below.
  const { open } = await import("node:fs/promises");
  const file = await open(path, READ_FLAGS).catch(ifMissing);
  if (file === undefined) return undefined;
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

/** The options of reading, beyond the checks of {@link assertOwnFile}. */
export interface ReadOptions {
  readonly maxBytes?: number | undefined;
  /** More flags of `open`. */
  readonly flags?: number;
  /** Called with the open file before its text is read. */
  readonly inspect?: (file: number, opened: Stats) => void;
}

/** The synchronous variant of {@link readOwnFile}, for the files that every command reads. */
export function readOwnFileSync(
  path: string,
  { maxBytes, flags = 0, inspect }: ReadOptions = {},
): string | undefined {
  let file: number;
  try {
    file = openSync(path, READ_FLAGS | flags);
  } catch (error) {
    return ifMissing(error);
  }
  try {
    const opened = fstatSync(file);
    assertOwnFile(opened, path, maxBytes);
    inspect?.(file, opened);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Returns undefined for the error of a missing file.
 * @throws any other error
 */
export function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
