import { constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ErrorFacts, FileExistsError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { cannotRead, readInput, readNamed } from "./read-named.ts";

/** Files, standard input and environment variables that the command line names. */
export type Files = ReturnType<typeof createFiles>;

type Content = string | Uint8Array;

interface WriteOptions {
  readonly overwrite: boolean;
  readonly isPrivate?: boolean;
  readonly makeFolder?: boolean;
}

/** Reads and writes files relative to the working folder. */
export function createFiles(io: Io) {
  let isPasted = false;
  return {
    /**
     * The text of a file, or of standard input for `-`.
     * @param missing what the error says beyond the reason where there is no such file
     * @throws {UsageError} if it cannot be read, or `-` is a terminal
     */
    read: async (path: string, missing: ErrorFacts = {}): Promise<string> =>
      (await readNamed(io, path, missing)).toString("utf8"),
    /**
     * The bytes of a file, or of standard input for `-`.
     * @throws {UsageError} if it cannot be read, or `-` is a terminal
     */
    readBytes: (path: string): Promise<Uint8Array> => readNamed(io, path, {}),
    /**
     * The text of standard input, which may be pasted on a terminal and ended with Ctrl-D.
     * @param onTerminal called before a terminal is read
     */
    paste: async (onTerminal: () => void): Promise<string> => {
      isPasted = true;
      if (io.stdin.isTTY) onTerminal();
      return (await readInput(io)).toString("utf8");
    },
    /** Whether standard input was read to its end, so that no question can be answered there. */
    isPasted: () => isPasted,
    /**
     * Writes a file with mode 0644, like the user's own documents, or 0600 if it is private. A file
     * that is replaced keeps its mode, and its whole text if the new one cannot be written.
     * @param options.makeFolder whether to create its folder if there is none
     * @throws {UsageError} if it exists and may not be replaced, is a symbolic link, or cannot be
     * written
     */
    write: (path: string, content: Content, options: WriteOptions): Promise<void> =>
      writeNamed(io, path, content, options),
    /**
     * Refuses a file that exists, before the work whose result it is for.
     * @throws {UsageError} if it exists
     */
    refuseExisting: async (path: string): Promise<void> => {
      const { lstat } = await fs();
      const found = await lstat(resolve(io.cwd, path)).catch(() => undefined);
      if (found !== undefined) throw alreadyExists(path);
    },
    /**
     * The absolute path of a file or folder, all links resolved.
     * @throws {UsageError} if there is none
     */
    realPath: async (path: string): Promise<string> => {
      try {
        const { realpath } = await fs();
        return await realpath(resolve(io.cwd, path));
      } catch (error) {
        throw await cannotRead(io, path, error);
      }
    },
    /** The value of an environment variable; undefined if it is not set. */
    variable: (name: string): string | undefined => io.env[name],
    /** All environment variables. */
    variables: (): Readonly<Record<string, string | undefined>> => io.env,
  };
}

async function writeNamed(
  { cwd }: Io,
  path: string,
  content: Content,
  { overwrite, isPrivate = false, makeFolder = false }: WriteOptions,
): Promise<void> {
  const place = resolve(cwd, path);
  try {
    if (makeFolder) {
      const folders = await import("../durable/write-file.ts");
      await folders.makeFolder(dirname(place), { mode: 0o777 });
    }
    if (overwrite) {
      const { refuseLink } = await import("../durable/write-file.ts");
      await refuseLink(place, path);
      if (await isReplaced(place, content, isPrivate)) return;
    }
    await writeInPlace(place, content, { overwrite, isPrivate });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    throw isThere ? alreadyExists(path) : cannotWrite(path, error);
  }
}

async function writeInPlace(place: string, content: Content, options: WriteOptions) {
  const { overwrite, isPrivate } = options;
  const { open, unlink } = await fs();
  const file = await open(place, overwrite ? "w" : "wx", isPrivate ? 0o600 : 0o666);
  try {
    if (isPrivate) await file.chmod(0o600);
    await file.writeFile(content);
  } catch (error) {
    // A part of a new file would be taken for the whole.
    if (!overwrite) await unlink(place).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file as a whole.
 * @returns false where there is no regular file, as for a pipe or device, or its folder refuses
 * another file beside it: it must then be written in place
 */
async function isReplaced(place: string, content: Content, isPrivate: boolean): Promise<boolean> {
  const { access, chmod, stat } = await fs();
  const old = await stat(place).catch(() => undefined);
  if (!old?.isFile()) return false;
  // A rename would replace a file that its owner protects.
  await access(place, constants.W_OK);
  const { writeFileDurably } = await import("../durable/write-file.ts");
  try {
    await writeFileDurably(place, content);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "EPERM", "EBUSY"].includes(code)) return false;
    throw error;
  }
  if (!isPrivate) await chmod(place, old.mode);
  return true;
}

function alreadyExists(path: string): FileExistsError {
  return new FileExistsError(`${path} already exists`, {
    remedy: "Choose another file name, or add --overwrite to replace it.",
  });
}

/**
 * The error of a file that cannot be written: where it is not found, its folder is what is missing.
 */
function cannotWrite(path: string, error: unknown): UsageError {
  const isFolderMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const reason = isFolderMissing ? `folder ${dirname(path)} not found` : fsReason(error);
  const facts = isFolderMissing ? { remedy: "Create the folder, or choose another one." } : {};
  return new UsageError(`Cannot write ${path}: ${reason}`, facts, { cause: error });
}

/**
 * Loads the module with the first file: the import takes milliseconds, and few commands need it.
 */
const fs = () => import("node:fs/promises");
