import * as node from "node:fs/promises";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OpenFile } from "../../../../src/durable/write-file.ts";
import type { StateFileSystem } from "../../../../src/notify/state/local/state-file.ts";

/** A disk whose size a test changes, in bytes. */
export interface QuotaDisk extends StateFileSystem {
  size: number;
}

/**
 * The real file system with a quota on one folder: what is there counts, names of the same file
 * once. As on a nearly full disk, a write takes what has room and fails after that.
 */
export function quotaDisk(folder: string): QuotaDisk {
  const disk: QuotaDisk = {
    ...real,
    size: Number.POSITIVE_INFINITY,
    open: async (path, flags, mode) => {
      const file = await node.open(path, flags, mode);
      return {
        ...plain(file),
        write: async (bytes, offset) => {
          const room = disk.size - (await usedIn(folder));
          if (room <= 0) throw systemError("ENOSPC", "no space left on device", "write");
          return file.write(bytes, offset, Math.min(room, bytes.length - offset));
        },
      };
    },
  };
  return disk;
}

/** The real file system, in which each step tells its name first, and may throw by that. */
export function steppedDisk(step: (name: string) => void): StateFileSystem {
  return {
    mkdir: async (path, options) => {
      step("mkdir");
      return node.mkdir(path, options);
    },
    open: async (path, flags, mode) => {
      const of = flags === "r" ? " folder" : "";
      step(`open${of}`);
      const file = plain(await node.open(path, flags, mode));
      const told =
        <Input extends unknown[], Output>(
          name: string,
          run: (...input: Input) => Promise<Output>,
        ) =>
        async (...input: Input) => {
          step(`${name}${of}`);
          return run(...input);
        };
      return {
        write: told("write", file.write),
        stat: file.stat,
        sync: told("sync", file.sync),
        close: async () => {
          // The descriptor is given back even where the step fails, as the system does it.
          await file.close();
          step(`close${of}`);
        },
      };
    },
    rename: async (from, to) => {
      step(to.endsWith("backup") ? "rename backup" : "rename");
      return node.rename(from, to);
    },
    link: async (from, to) => {
      step("link");
      return node.link(from, to);
    },
    unlink: node.unlink,
  };
}

/** As Node makes one. */
export function systemError(code: string, text: string, call: string): Error {
  return Object.assign(new Error(`${code}: ${text}, ${call}`), { code });
}

const real: StateFileSystem = node;

function plain(file: node.FileHandle): OpenFile {
  return {
    write: (bytes, offset) => file.write(bytes, offset),
    stat: () => file.stat(),
    sync: () => file.sync(),
    close: () => file.close(),
  };
}

async function usedIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = new Map<number, number>();
  for (const name of names) {
    const { ino, size, nlink } = await stat(join(folder, name)).catch(() => GONE);
    if (nlink > 0) sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

const GONE = { ino: 0, size: 0, nlink: 0 };
