import * as node from "node:fs/promises";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type FileSystem,
  type OpenFile,
  removeLeftovers,
  writeFileDurably,
} from "../../src/durable/write-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let folder: string;
let target: string;

beforeEach(() => {
  folder = temporaryFolder();
  target = join(folder, "state.json");
});

/** Every step in its order; `folder` marks those of the folder's sync. */
const STEPS = [
  "mkdir",
  "open",
  "write",
  "sync",
  "close",
  "rename",
  "open folder",
  "sync folder",
  "close folder",
] as const;
type Step = (typeof STEPS)[number];

/** The real file system that tells its steps and fails at one of them. */
function failing(at?: Step, code = "EIO"): { fs: FileSystem; steps: string[] } {
  const steps: string[] = [];
  const step = (name: string) => {
    steps.push(name);
    if (name === at) throw Object.assign(new Error(`${name} failed`), { code });
  };
  const fs: FileSystem = {
    async mkdir(path, options) {
      step("mkdir");
      return node.mkdir(path, options);
    },
    async open(path, flags, mode) {
      const suffix = flags === "r" ? " folder" : "";
      step(`open${suffix}`);
      return watched(await node.open(path, flags, mode), suffix, step);
    },
    async rename(from, to) {
      step("rename");
      return node.rename(from, to);
    },
    unlink: node.unlink,
  };
  return { fs, steps };
}

function watched(file: OpenFile, suffix: string, step: (name: string) => void): OpenFile {
  return {
    async write(bytes, offset) {
      step(`write${suffix}`);
      return file.write(bytes, offset);
    },
    stat: () => file.stat(),
    async sync() {
      step(`sync${suffix}`);
      return file.sync();
    },
    async close() {
      // The descriptor is given back even where the step fails, as the system does it.
      await file.close();
      step(`close${suffix}`);
    },
  };
}

/** A file system that takes at most `room` bytes in all, `most` at once. */
function narrow(room: number, most: number): FileSystem {
  let left = room;
  return {
    ...failing().fs,
    async open(path, flags, mode) {
      const file = await node.open(path, flags, mode);
      return {
        write: (bytes, offset) => {
          const length = Math.min(most, left, bytes.length - offset);
          left -= length;
          return file.write(bytes, offset, length);
        },
        stat: () => file.stat(),
        sync: () => file.sync(),
        close: () => file.close(),
      };
    },
  };
}

describe("writeFileDurably", () => {
  it("takes the steps of the write rule in their order", async () => {
    const { fs, steps } = failing();
    await writeFileDurably(target, "new", { fs });
    expect(steps).toEqual(STEPS);
    expect(await readFile(target, "utf8")).toBe("new");
  });

  it.each(STEPS.slice(0, 6))("leaves the old file and nothing else when %s fails", async (step) => {
    await writeFile(target, "old and longer");
    const { fs } = failing(step);
    await expect(writeFileDurably(target, "new", { fs })).rejects.toThrow(`${step} failed`);
    expect(await readFile(target, "utf8")).toBe("old and longer");
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it.each(STEPS.slice(6))("reports that %s failed, with the new file whole", async (step) => {
    await writeFile(target, "old and longer");
    const { fs } = failing(step);
    await expect(writeFileDurably(target, "new", { fs })).rejects.toThrow(`${step} failed`);
    expect(await readFile(target, "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("accepts a file system that cannot sync a folder", async () => {
    const { fs } = failing("sync folder", "EINVAL");
    await writeFileDurably(target, "new", { fs });
    expect(await readFile(target, "utf8")).toBe("new");
  });

  it("continues after a short write", async () => {
    await writeFileDurably(target, "grüße 👩‍👩‍👧", { fs: narrow(1000, 3) });
    expect(await readFile(target, "utf8")).toBe("grüße 👩‍👩‍👧");
  });

  it("refuses to put a truncated file in place when the disk is full", async () => {
    await writeFile(target, "old");
    await expect(writeFileDurably(target, "new", { fs: narrow(2, 3) })).rejects.toThrow(
      "only 2 of 3 bytes were written",
    );
    expect(await readFile(target, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["state.json"]);
  });

  it("writes bytes and the empty text as they are", async () => {
    await writeFileDurably(target, Uint8Array.of(0, 255, 10));
    expect([...(await readFile(target))]).toEqual([0, 255, 10]);
    await writeFileDurably(target, "");
    expect(await readFile(target, "utf8")).toBe("");
  });

  it("makes the file 0600 and missing folders 0700, and narrows a wider mode", async () => {
    const deep = join(folder, "a", "b", "state.json");
    await writeFileDurably(deep, "x");
    expect(await mode(deep)).toBe(0o600);
    expect(await mode(dirname(deep))).toBe(0o700);
    expect(await mode(join(folder, "a"))).toBe(0o700);

    await writeFile(target, "old", { mode: 0o644 });
    await writeFileDurably(target, "new");
    expect(await mode(target)).toBe(0o600);
  });

  it("replaces a symbolic link and leaves what it points to alone", async () => {
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, "theirs");
    await symlink(elsewhere, target);
    await writeFileDurably(target, "mine");
    expect(await readFile(elsewhere, "utf8")).toBe("theirs");
    expect((await node.lstat(target)).isSymbolicLink()).toBe(false);
    expect(await readFile(target, "utf8")).toBe("mine");
  });

  it("never mixes the texts of writers at the same time", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(5000));
    await Promise.all(texts.map((text) => writeFileDurably(target, text)));
    expect(texts).toContain(await readFile(target, "utf8"));
    expect(await readdir(folder)).toEqual(["state.json"]);
  });
});

describe("removeLeftovers", () => {
  it("removes the temporary files of this file alone", async () => {
    const others = [
      ".other.json.0123456789abcdef.tmp",
      ".state.json.tmp",
      ".state.json.bak",
      "a.tmp",
    ];
    for (const name of [...others, ".state.json.0123456789abcdef.tmp", "state.json"]) {
      await writeFile(join(folder, name), "");
    }
    await removeLeftovers(target);
    expect((await readdir(folder)).sort()).toEqual([...others, "state.json"].sort());
  });

  it("accepts a folder that does not exist", async () => {
    await expect(removeLeftovers(join(folder, "none", "x"))).resolves.toBeUndefined();
  });
});

async function mode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
