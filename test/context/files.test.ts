import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Files } from "../../src/context/files.ts";
import type { Io } from "../../src/io.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ioWith = (signal: AbortSignal) => {
  const cwd = temporaryFolder();
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  return { cwd, env: {}, signal, stdin: new PassThrough() } as unknown as Io;
};

it("a file in a missing folder is refused with the folder's name, or the folder is created", async () => {
  const cwd = temporaryFolder();
  const files = new Files({ cwd } as Io);
  await expect(files.write("none/at/all.txt", "x", { overwrite: false })).rejects.toThrow(
    /^Cannot write none\/at\/all\.txt: folder none\/at not found$/u,
  );
  await files.write("some/where.txt", "x", { overwrite: false, makeFolder: true });
  expect(readFileSync(join(cwd, "some/where.txt"), "utf8")).toBe("x");
});

it("a new file that cannot be written whole is removed", async () => {
  const cwd = temporaryFolder();
  const files = new Files({ cwd } as Io);
  const content = 42 as unknown as string;
  await expect(files.write("part.txt", content, { overwrite: false })).rejects.toThrow(
    /^Cannot write part\.txt: /u,
  );
  expect(readdirSync(cwd)).toEqual([]);
});

const nearWorld = (cwd: string) => ({ cwd, env: {}, signal: new AbortController().signal }) as Io;

describe("a file that is not found", () => {
  it("is compared with the names in its folder", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "");
    mkdirSync(join(cwd, "routings"));
    const files = new Files(nearWorld(cwd));
    const missing = { remedy: "Write one." };
    await expect(files.read("ruoting.yml", missing)).rejects.toMatchObject({
      message: "Cannot read ruoting.yml: file not found",
      facts: { remedy: "Did you mean routing.yaml?" },
    });
    // A folder cannot be read, and nothing like this is there.
    for (const path of ["routngs", "plan.json"]) {
      await expect(files.read(path, missing)).rejects.toMatchObject({ facts: missing });
    }
  });
});

describe("a file that is replaced", () => {
  /** What `write` fails with after the file was opened. */
  const unwritable = { length: 5 } as unknown as Uint8Array;

  it("keeps its text where the new one cannot be written, and nothing is left beside it", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "old.txt"), "old");
    const writing = new Files({ cwd } as Io).write("old.txt", unwritable, { overwrite: true });
    await expect(writing).rejects.toThrow(/^Cannot write old\.txt: /u);
    expect(readFileSync(join(cwd, "old.txt"), "utf8")).toBe("old");
    expect(readdirSync(cwd)).toEqual(["old.txt"]);
  });

  it.skipIf(process.platform === "win32")("keeps its mode", async () => {
    const cwd = temporaryFolder();
    const place = join(cwd, "old.txt");
    writeFileSync(place, "old");
    chmodSync(place, 0o664);
    const files = new Files({ cwd } as Io);
    await files.write("old.txt", "new", { overwrite: true });
    expect(readFileSync(place, "utf8")).toBe("new");
    expect(statSync(place).mode & 0o777).toBe(0o664);
    await files.write("old.txt", "private", { overwrite: true, isPrivate: true });
    expect(statSync(place).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === "win32")("is never the target of a link", async () => {
    const cwd = temporaryFolder();
    const mine = join(cwd, "mine.txt");
    writeFileSync(mine, "mine");
    mkdirSync(join(cwd, "checkout"));
    const files = new Files({ cwd: join(cwd, "checkout") } as Io);
    for (const target of ["mine.txt", "new.txt"]) {
      symlinkSync(`../${target}`, join(cwd, "checkout", "link.txt"));
      for (const isPrivate of [true, false]) {
        const writing = files.write("link.txt", "theirs", { overwrite: true, isPrivate });
        await expect(writing).rejects.toMatchObject({
          message: `Cannot write link.txt: it is a symbolic link to ../${target}`,
          facts: { remedy: "Give the path of the file itself, or delete the link." },
        });
      }
      unlinkSync(join(cwd, "checkout", "link.txt"));
    }
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(readdirSync(cwd).sort()).toEqual(["checkout", "mine.txt"]);
  });

  it.skipIf(process.platform === "win32")("may be a device, and stays one", async () => {
    await new Files({ cwd: "/dev" } as Io).write("null", "x", { overwrite: true });
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});

describe.skipIf(process.platform === "win32")("a wait for the writer of a pipe", () => {
  it.each(["pipe", "-"])("ends where the signal came before it: %s", async (path) => {
    const files = new Files(ioWith(AbortSignal.abort("SIGINT")));
    await expect(files.read(path)).rejects.toThrow();
  });

  it.each(["pipe", "-"])("ends where the signal comes as it begins: %s", async (path) => {
    const stop = new AbortController();
    const reading = new Files(ioWith(stop.signal)).read(path);
    stop.abort("SIGINT");
    await expect(reading).rejects.toThrow();
  });
});
