import { randomBytes } from "node:crypto";
import * as node from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { durableErrors } from "./errors.ts";

/** The operations on an open file or folder that a durable write uses. */
export interface OpenFile {
  /** Writes bytes, possibly fewer than given, as on a nearly full disk. */
  write(bytes: Uint8Array, offset: number): Promise<{ bytesWritten: number }>;
  stat(): Promise<{ readonly size: number }>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system call that makes one folder. */
interface FolderMaker {
  mkdir(folder: string, options: { mode: number }): Promise<unknown>;
}

/** The file system calls that a durable write uses; a test lets them fail one by one. */
export interface FileSystem extends FolderMaker {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/**
 * Replaces a file. Whatever happens, either the whole old or the whole new text remains. The mode
 * is 0600. A symbolic link is replaced, not followed. A missing folder is created with mode 0700.
 *
 * The libraries for it are not used because they report success for a truncated file when the disk
 * is nearly full (seen with write-file-atomic 8.0.0 and with atomically, which conf uses).
 *
 * @throws the file system's own error (with its `code`), after removing the temporary file. Only if
 * the last step fails, the sync of the folder, the new text is already there.
 */
export async function writeFileDurably(
  path: string,
  text: string | Uint8Array,
  { fs = node }: { readonly fs?: FileSystem } = {},
): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder, { fs });
  const temporary = join(folder, `${leftoverPrefix(path)}${randomBytes(8).toString("hex")}.tmp`);
  const file = await fs.open(temporary, "wx", 0o600);
  try {
    await closing(file, async () => {
      await writeAll(file, typeof text === "string" ? Buffer.from(text, "utf8") : text);
      await file.sync();
    });
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(folder, fs);
}

/** The codes for a folder that is there; the last two for a root, of macOS and Windows. */
const IS_THERE: ReadonlySet<string | undefined> = new Set(["EEXIST", "EISDIR", "EPERM"]);

/**
 * Makes a folder, and those above it that are missing. Not by `recursive` of Node, which asks for
 * ever where a file system answers "not found" for every new name, as /proc does.
 * @throws the file system's own error
 */
export async function makeFolder(
  folder: string,
  { mode = 0o700, fs = node }: { readonly mode?: number; readonly fs?: FolderMaker } = {},
): Promise<void> {
  const make = async () => {
    await fs.mkdir(folder, { mode }).catch(async (error: NodeJS.ErrnoException) => {
      const found = IS_THERE.has(error.code) ? await node.stat(folder).catch(() => {}) : undefined;
      if (!found?.isDirectory()) throw error;
    });
  };
  try {
    await make();
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || above === folder) throw error;
    await makeFolder(above, { mode, fs });
    await make();
  }
}

/**
 * Adds bytes to the end of a file, and syncs them. A failure may leave a part of them there.
 * @param size the bytes that the file must have
 * @throws the file system's own error, or one that says that the file has another size
 */
export async function appendDurably(
  path: string,
  bytes: Uint8Array,
  { size, fs = node }: { readonly size: number; readonly fs?: FileSystem },
): Promise<void> {
  const file = await fs.open(path, "a", 0o600);
  await closing(file, async () => {
    if ((await file.stat()).size !== size) throw new Error("another program changed it");
    // guard: the lines of the journal
    await writeAll(file, bytes);
    // guard: the sync of the journal
    await file.sync();
  });
}

/**
 * Refuses to write through a symbolic link to a file: one in a repository can lead to any file of
 * whoever works in it. A link to a pipe or terminal is accepted, because /dev/stdout is one.
 * @param shown the path as the user typed it
 */
export async function refuseLink(path: string, shown = path): Promise<void> {
  const found = await node.lstat(path).catch(() => undefined);
  if (!found?.isSymbolicLink()) return;
  const target = await node.stat(path).catch(() => undefined);
  if (target && !target.isFile()) return;
  const linked = await node.readlink(path);
  throw durableErrors.file_is_link(shown, linked);
}

async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written);
    if (bytesWritten < 1) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    written += bytesWritten;
  }
}

/** Closes the file also where the work fails; then its error counts. */
async function closing(file: OpenFile, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
  await file.close();
}

/** Makes the entries of a folder durable. Windows cannot open a folder, and does not need it. */
export async function syncFolder(
  folder: string,
  fs: Pick<FileSystem, "open"> = node,
): Promise<void> {
  if (platform() === "win32") return;
  const open = await fs.open(folder, "r");
  try {
    await open.sync();
  } catch (error) {
    // Some network file systems do not support the sync; the rename is done nevertheless.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
  } finally {
    await open.close();
  }
}

/**
 * Removes the temporary files of killed writers, since a secret must not outlive its removal there.
 * Only the holder of the file's lock may call this: a leftover looks like the temporary file of a
 * running writer.
 */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await node.readdir(folder).catch(() => []);
  const prefix = leftoverPrefix(path);
  const leftovers = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/u.test(name.slice(prefix.length)),
  );
  for (const name of leftovers) await node.unlink(join(folder, name)).catch(() => {});
}

function leftoverPrefix(path: string): string {
  return `.${basename(path)}.`;
}
