import * as node from "node:fs/promises";
import { dirname } from "node:path";

/** The file system call that makes one folder. */
export interface FolderMaker {
  mkdir(folder: string, options: { mode: number }): Promise<unknown>;
}

/** The codes for a folder that is there; the last two for a root, of macOS and Windows. */
const IS_THERE: ReadonlySet<string | undefined> = new Set(["EEXIST", "EISDIR", "EPERM"]);

/**
 * Makes a folder, and those above it that are missing. Not by `recursive` of Node, which asks for ever
 * where a file system answers "not found" for every new name, as /proc does.
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
