import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOwnFile, readOwnFileSync } from "../../src/durable/read-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const READS = { later: readOwnFile, "at once": async (path: string) => readOwnFileSync(path) };

describe.each(Object.entries(READS))("a file of amp's, read %s", (_, read) => {
  it("is read, behind a link too, and is undefined if it is missing", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "text");
    symlinkSync("a", join(folder, "link"));
    expect(await read(join(folder, "link"))).toBe("text");
    expect(await read(join(folder, "none"))).toBeUndefined();
  });

  it.skipIf(process.platform === "win32")(
    "is refused if it is a pipe, device or folder",
    async () => {
      const folder = temporaryFolder();
      execFileSync("mkfifo", [join(folder, "pipe")]);
      mkdirSync(join(folder, "folder"));
      for (const path of [join(folder, "pipe"), join(folder, "folder"), "/dev/zero"]) {
        await expect(read(path)).rejects.toThrow(`${path} is not a regular file`);
      }
    },
  );

  it("is refused if it is larger than amp writes", async () => {
    const path = join(temporaryFolder(), "large");
    writeFileSync(path, "");
    truncateSync(path, 65 * 2 ** 20);
    await expect(read(path)).rejects.toThrow(`${path} is larger than 64 MB`);
  });
});
