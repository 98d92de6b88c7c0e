import { randomBytes } from "node:crypto";
import { removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import type { StateFileSystem } from "./state-file.ts";

const LEAST = 64 * 1024;

/** Room on the disk that is kept for the results of creates that are about to be sent. */
export interface Reserve {
  /** Makes it, or makes it larger, so that a state somewhat longer than this one has room. */
  keep(text: string): Promise<void>;
  /** @returns false where there was none */
  giveUp(): Promise<boolean>;
  /** Removes what a killed run left. */
  clear(): Promise<void>;
}

/** The reserve beside a state file. */
export function reserveOf(path: string, fs: StateFileSystem): Reserve {
  const file = `${path}.reserve`;
  let size = 0;

  async function giveUp(): Promise<boolean> {
    const there = size > 0;
    size = 0;
    await fs.unlink(file).catch(() => {});
    return there;
  }

  return {
    keep: async (text) => {
      const wanted = Math.max(LEAST, 2 * Buffer.byteLength(text));
      if (size >= wanted / 2 && size >= LEAST) return;
      // Random: a disk that compresses would keep no room for zeros.
      await writeFileDurably(file, randomBytes(wanted), { fs });
      size = wanted;
    },
    giveUp,
    clear: async () => {
      await removeLeftovers(file);
      await giveUp();
    },
  };
}
