import { symlinkSync, writeFileSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "../../src/durable/write-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let root: string;

beforeEach(() => {
  root = temporaryFolder();
});

const refusal = (code: string) => Object.assign(new Error(code), { code });

describe("making a folder", () => {
  it("makes those above it with the same mode, and leaves what is there", async () => {
    await mkdir(join(root, "a"), { mode: 0o755 });
    await makeFolder(join(root, "a/b/c"), { mode: 0o700 });
    await makeFolder(join(root, "a/b/c"), { mode: 0o700 });
    const modes = ["a", "a/b", "a/b/c"].map(async (each) => (await stat(join(root, each))).mode);
    expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o755, 0o700, 0o700]);
  });

  it("takes a folder that another process made, and a link to one", async () => {
    symlinkSync(root, join(root, "link"));
    const both = [1, 2, 3, 4].map(() => makeFolder(join(root, "link/x/y")));
    await Promise.all(both);
    expect((await stat(join(root, "x/y"))).isDirectory()).toBe(true);
  });

  it("refuses a file in its place, also above it", async () => {
    writeFileSync(join(root, "file"), "");
    await expect(makeFolder(join(root, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(join(root, "file/below"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it.each(["ENOENT", "EACCES", "EROFS", "EPERM"])(
    "ends where a file system answers %s to every new name, which Node's own way does not",
    async (code) => {
      let asked = 0;
      const fs = {
        mkdir: async (folder: string, options: { mode: number }) => {
          asked += 1;
          if (asked > 20) throw refusal("it never ends");
          if (folder.startsWith(root) && folder !== root) throw refusal(code);
          return mkdir(folder, options);
        },
      };
      await expect(makeFolder(join(root, "a/b/c"), { fs })).rejects.toMatchObject({ code });
    },
  );

  it.runIf(process.platform === "linux")("ends below /proc", async () => {
    await expect(makeFolder("/proc/none/a/b")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
