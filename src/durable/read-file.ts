import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { UsageError } from "../errors.ts";
import { sizeText } from "../values/size.ts";

/** Far more than amp ever writes; a device or a file of another kind ends here. */
const MAX_BYTES = 64 * 2 ** 20;

/** Without waiting for the writer of a pipe. Windows has no such flag. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Checks what was opened, not its path: that may name another file by now.
 * @param most bytes
 * @throws {UsageError} for a pipe, a device, a folder, and for a file that is too large to be amp's
 */
export function assertOwnFile(opened: Stats, path: string, most = MAX_BYTES): void {
  if (!opened.isFile()) throw new UsageError(`${path} is no file`);
  if (opened.size <= most) return;
  throw new UsageError(`${path} is larger than ${sizeText(most)}: it cannot be amp's`);
}

/** The text of a file that amp wrote; undefined where there is none. @throws as {@link assertOwnFile} */
export async function readOwnFile(path: string): Promise<string | undefined> {
  // Loaded when it is needed: the reading at once, beside it, is on the way of every command.
  const { open } = await import("node:fs/promises");
  const file = await open(path, READ_FLAGS).catch(ifMissing);
  if (file === undefined) return undefined;
  try {
    assertOwnFile(await file.stat(), path);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** The same at once, for what is on the way of every command. */
export function readOwnFileSync(path: string, most = MAX_BYTES): string | undefined {
  let file: number;
  try {
    file = openSync(path, READ_FLAGS);
  } catch (error) {
    return ifMissing(error);
  }
  try {
    assertOwnFile(fstatSync(file), path, most);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function ifMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
