import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createFiles } from "../../src/context/files.ts";
import type { Io } from "../../src/io.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ioWith = (signal: AbortSignal) => {
  const cwd = temporaryFolder();
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  return { cwd, env: {}, signal, stdin: new PassThrough() } as unknown as Io;
};

it("a file in a missing folder is refused with the folder's name, or the folder is created", async () => {
  const cwd = temporaryFolder();
  const files = createFiles({ cwd } as Io);
  await expect(files.write("none/at/all.txt", "x", { overwrite: false })).rejects.toThrow(
    /^Cannot write none\/at\/all\.txt: folder none\/at not found$/u,
  );
  await files.write("some/where.txt", "x", { overwrite: false, makeFolder: true });
  expect(readFileSync(join(cwd, "some/where.txt"), "utf8")).toBe("x");
});

it("a new file that cannot be written whole is removed", async () => {
  const cwd = temporaryFolder();
  const files = createFiles({ cwd } as Io);
  const content = 42 as unknown as string;
  await expect(files.write("part.txt", content, { overwrite: false })).rejects.toThrow(
    /^Cannot write part\.txt: /u,
  );
  expect(readdirSync(cwd)).toEqual([]);
});

describe.skipIf(process.platform === "win32")("a wait for the writer of a pipe", () => {
  it.each(["pipe", "-"])("ends where the signal came before it: %s", async (path) => {
    const files = createFiles(ioWith(AbortSignal.abort("SIGINT")));
    await expect(files.read(path)).rejects.toThrow();
  });

  it.each(["pipe", "-"])("ends where the signal comes as it begins: %s", async (path) => {
    const stop = new AbortController();
    const reading = createFiles(ioWith(stop.signal)).read(path);
    stop.abort("SIGINT");
    await expect(reading).rejects.toThrow();
  });
});
