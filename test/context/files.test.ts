import { execFileSync } from "node:child_process";
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
