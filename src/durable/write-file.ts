import { randomBytes } from "node:crypto";
import * as node from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, join } from "node:path";

/** An open file or folder, as far as the write rule uses one. */
export interface OpenFile {
  /** May write less than it was given, as a nearly full disk does. */
  write(bytes: Uint8Array, offset: number): Promise<{ bytesWritten: number }>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system, as far as the write rule uses it; a test lets its steps fail one by one. */
export interface FileSystem {
  mkdir(folder: string, options: { recursive: true; mode: number }): Promise<unknown>;
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/** The mode of a file, by default 0600, and the file system, by default the real one. */
export interface WriteOptions {
  readonly mode?: number;
  readonly fs?: FileSystem;
}

/**
 * Puts a text in the place of a file so that, whatever happens, the file is the old one or the new
 * one, whole. A symbolic link in its place is replaced, not followed. A missing folder is created
 * 0700.
 *
 * Written by hand because the libraries for it report success for a truncated file when the disk is
 * nearly full (seen with write-file-atomic 8.0.0 and with atomically, which conf uses).
 *
 * @throws the file system's own error (with its `code`), after removing what was begun. Only where
 *   the last step fails, the sync of the folder, is the new text in place already.
 */
export async function writeFileDurably(
  path: string,
  text: string | Uint8Array,
  { mode = 0o600, fs = node }: WriteOptions = {},
): Promise<void> {
  const folder = dirname(path);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${leftoverPrefix(path)}${randomBytes(8).toString("hex")}.tmp`);
  const file = await fs.open(temporary, "wx", 0o600);
  try {
    await fill(file, typeof text === "string" ? Buffer.from(text, "utf8") : text, mode);
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.unlink(temporary).catch(ignore);
    throw error;
  }
  await syncFolder(folder, fs);
}

async function fill(file: OpenFile, bytes: Uint8Array, mode: number): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, written);
      if (bytesWritten < 1)
        throw new Error(`only ${written} of ${bytes.length} bytes were written`);
      written += bytesWritten;
    }
    // The mode given to open is cut by the umask, and a wider one would have held too early.
    if (mode !== 0o600) await file.chmod(mode);
    await file.sync();
  } catch (error) {
    await file.close().catch(ignore);
    throw error;
  }
  await file.close();
}

/** Makes the entries of a folder durable. Windows cannot open a folder, and needs no such step. */
async function syncFolder(folder: string, fs: Pick<FileSystem, "open"> = node): Promise<void> {
  if (platform() === "win32") return;
  const open = await fs.open(folder, "r");
  try {
    await open.sync();
  } catch (error) {
    // Some network file systems have no such operation; the rename stands there as it is.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
  } finally {
    await open.close();
  }
}

/**
 * Removes what killed writers of a file left beside it: a secret must not outlive its removal in
 * such a leftover. Only for the holder of the file's lock, for it cannot tell a leftover from the
 * temporary file of a writer at work.
 */
export async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await node.readdir(folder).catch(() => []);
  const leftovers = names.filter(
    (name) =>
      name.startsWith(leftoverPrefix(path)) &&
      /^[0-9a-f]{16}\.tmp$/u.test(name.slice(leftoverPrefix(path).length)),
  );
  for (const name of leftovers) await node.unlink(join(folder, name)).catch(ignore);
}

function leftoverPrefix(path: string): string {
  return `.${basename(path)}.`;
}

function ignore(): void {}
