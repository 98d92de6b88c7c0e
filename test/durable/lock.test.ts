import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { withLock } from "../../src/durable/lock.ts";
import { type Owner, parseOwner, thisOwner } from "../../src/durable/owner.ts";
import { ConflictError, InterruptedError } from "../../src/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let root: string;
let path: string;
let folder: string;

beforeEach(async () => {
  root = temporaryFolder();
  path = join(root, "state.json");
  folder = `${path}.lock.d`;
  await writeFile(path, "0");
});

const onLinux = process.platform === "linux";
const take = () => withLock(path, {}, async ({ owner }) => owner);

/** Puts a record into the folder, as an earlier process would have left it. */
async function leave(name: string, record: Owner | string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), typeof record === "string" ? record : JSON.stringify(record));
}

describe("a lock", () => {
  it("returns the result of the work, and is released if the work fails", async () => {
    expect(await withLock(path, {}, async () => 7)).toBe(7);
    const failing = withLock(path, {}, () => Promise.reject(new Error("the work failed")));
    await expect(failing).rejects.toThrow("the work failed");
    expect(await withLock(path, {}, async () => 8)).toBe(8);
  });

  it("is refused, and ends by a signal, where a record is listed that cannot be read", async () => {
    await mkdir(folder, { recursive: true });
    await symlink(join(root, "nothing"), join(folder, "5"));
    await expect(take()).rejects.toThrow(`${path} is locked by another run`);
    const signal = AbortSignal.timeout(200);
    const waiting = withLock(path, { wait: 60_000, signal }, async () => {});
    await expect(waiting).rejects.toBeInstanceOf(InterruptedError);
  });

  it.runIf(onLinux)(
    "is refused, and does not wait for the writer of a pipe in its place",
    async () => {
      await mkdir(folder, { recursive: true });
      execFileSync("mkfifo", [join(folder, "5")]);
      await expect(take()).rejects.toThrow("is not a regular file");
    },
  );

  it("that is held is refused with its holder", async () => {
    await withLock(path, { command: "amp notify apply" }, async ({ owner }) => {
      const error = await take().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConflictError);
      const { message, facts } = error as ConflictError;
      expect(message).toBe(`${path} is locked by another run`);
      expect(facts.detail).toBe(
        `amp notify apply, process ${process.pid} on ${owner.host}, since ${owner.since}`,
      );
      expect(facts.data).toEqual({ holder: JSON.parse(JSON.stringify(owner)) });
    });
  });

  it("is waited for as long as was asked", async () => {
    const first = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const order: string[] = [];
    const holding = withLock(path, {}, async () => {
      held.resolve();
      await first.promise;
      order.push("first");
    });
    await held.promise;
    const waiting = withLock(path, { wait: 60_000 }, async () => order.push("second"));
    first.resolve();
    await Promise.all([holding, waiting]);
    expect(order).toEqual(["first", "second"]);
  });

  it("is not waited for after a signal", async () => {
    await withLock(path, {}, async () => {
      const controller = new AbortController();
      const waiting = withLock(path, { wait: 60_000, signal: controller.signal }, async () => 1);
      controller.abort("SIGINT");
      await expect(waiting).rejects.toBeInstanceOf(InterruptedError);
    });
  });

  it("that was removed is noticed by its holder", async () => {
    await withLock(path, {}, async (held) => {
      await expect(held.check()).resolves.toBeUndefined();
      await rm(folder, { recursive: true });
      await expect(held.check()).rejects.toBeInstanceOf(ConflictError);
      await expect(take()).resolves.toBeDefined();
      await expect(held.check()).rejects.toBeInstanceOf(ConflictError);
    });
  });

  it("keeps only its newest generation", async () => {
    for (let turn = 0; turn < 12; turn += 1) await take();
    expect((await readdir(folder)).sort()).toEqual(["12", "12.released"]);
  });

  it("removes the drafts of killed processes", async () => {
    await leave("0b5f.draft", '{"id":"0b');
    await leave("3.released", "");
    await leave("notes.txt", "not ours");
    await take();
    await take();
    expect((await readdir(folder)).sort()).toContain("notes.txt");
    expect((await readdir(folder)).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });
});

describe("an abandoned lock", () => {
  it.skipIf(!onLinux)("is taken over when its process has ended", async () => {
    const child = spawn(process.execPath, ["--eval", ""]);
    const { pid } = child;
    await once(child, "exit");
    await leave("4", { ...thisOwner("amp"), pid: pid ?? 0 });
    await take();
    expect((await readdir(folder)).sort()).toEqual(["5", "5.released"]);
  });

  it.skipIf(!onLinux)("is taken over when its pid belongs to another process", async () => {
    await leave("1", { ...thisOwner("amp"), started: "1" });
    await expect(take()).resolves.toBeDefined();
  });

  const mine = thisOwner("amp");
  it.each<[string, Owner | string]>([
    ["another host, though dead here", { ...mine, host: "elsewhere", started: "1" }],
    ["another host after a restart here", { ...mine, host: "elsewhere", bootId: "before" }],
    ["another machine of this name", { ...mine, bootId: "before", started: "1" }],
    ["another container", { ...mine, pidNamespace: "pid:[1]", started: "1" }],
    ["a process without a start time", { ...mine, started: undefined }],
    ["a system that does not tell its boot", { ...mine, bootId: undefined, started: "1" }],
    ["nobody, for its record is cut", JSON.stringify(mine).slice(0, -9)],
    ["nobody, for its record is empty", ""],
  ])("is left alone when it may be held by %s", async (_, record) => {
    await leave("3", record);
    await expect(take()).rejects.toBeInstanceOf(ConflictError);
    expect(await readdir(folder)).toEqual(["3"]);
  });
});

describe("owner records", () => {
  it("are read back unchanged", () => {
    expect(parseOwner(JSON.stringify(mineNow()))).toEqual(mineNow());
  });

  it.each(["", "null", "[]", "7", '{"pid":1}', JSON.stringify({ ...thisOwner("amp"), pid: -1 })])(
    "are not parsed from %s",
    (text) => expect(parseOwner(text)).toBeUndefined(),
  );

  const owner = thisOwner("amp");
  const mineNow = () => owner;
});

describe("several processes", () => {
  const script = fileURLToPath(new URL("contender.ts", import.meta.url));
  const start = (...words: string[]): ChildProcess =>
    spawn(process.execPath, [script, path, ...words], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = async (child: ChildProcess) =>
    (await once(child, "exit")) as [number, string | null];

  it("never hold a lock at the same time", async () => {
    const children = Array.from({ length: 4 }, () => start("20"));
    const ends = await Promise.all(children.map(ended));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
    expect(await readFile(path, "utf8")).toBe("80");
  });

  it.skipIf(!onLinux)(
    "take it one after the other from those that were killed with it",
    async () => {
      const children = Array.from({ length: 6 }, () => start("1", "die"));
      const ends = await Promise.all(children.map(ended));
      expect(ends.map(([, signal]) => signal)).toEqual(Array(6).fill("SIGKILL"));
      expect(await readFile(path, "utf8")).toBe("6");
      await expect(take()).resolves.toBeDefined();
    },
    60_000,
  );
});
