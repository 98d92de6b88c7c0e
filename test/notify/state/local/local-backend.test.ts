import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { lockFolder } from "../../../../src/durable/lock.ts";
import { thisOwner } from "../../../../src/durable/owner.ts";
import { ConflictError, UsageError } from "../../../../src/errors.ts";
import type { LockedState, StateJournal } from "../../../../src/notify/state/backend.ts";
import {
  journalHeader,
  journalLine,
  stateText,
  withJournal,
} from "../../../../src/notify/state/format.ts";
import { localBackend } from "../../../../src/notify/state/local/local-backend.ts";
import {
  placesOf,
  resolveStateFile,
  type StateFileSystem,
  stateFolder,
} from "../../../../src/notify/state/local/state-file.ts";
import { newState } from "../../../../src/notify/state/state.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { holderIn, holdLock, lockId, lockRequest } from "../backend-conformance.ts";
import { begunEntry, TARGET, thrownBy } from "../state-fixture.ts";
import { quotaDisk, steppedDisk, systemError } from "./failing-disks.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "state.json");
});

const onLinux = process.platform === "linux";

/** The bytes that all files take. */
async function used(): Promise<number> {
  const files = await readdir(folder, { recursive: true });
  const stats = await Promise.all(files.map((name) => stat(join(folder, name))));
  return [...new Map(stats.map(({ ino, size }) => [ino, size])).values()].reduce((a, b) => a + b);
}

/** What is there, but for the lock and what hides it from version control. */
async function names(): Promise<string[]> {
  const beside = (await readdir(folder)).filter((name) => name !== ".amp-admin");
  const inside = await readdir(stateFolder(path)).catch(() => []);
  return [...beside, ...inside.map((name) => `.amp-admin/${name}`)]
    .filter((name) => !name.endsWith(".lock.d") && name !== ".amp-admin/.gitignore")
    .sort();
}

const places = () => placesOf(path);

async function save(texts: readonly string[], disk?: StateFileSystem): Promise<void> {
  await localBackend(path, disk).withLock(lockRequest(), async (held) => {
    for (const text of texts) await held.write(text, "intent");
  });
}

describe("a state file", () => {
  it("keeps the previous text as a backup, and nothing else", async () => {
    await save(["1"]);
    expect(await names()).toEqual(["state.json"]);
    await save(["2", "3"]);
    expect(await names()).toEqual([".amp-admin/backup", "state.json"]);
    expect(await readFile(path, "utf8")).toBe("3");
    expect(await readFile(places().backup, "utf8")).toBe("2");
  });

  it("is private, and so is the folder that is made for it", async () => {
    path = join(folder, "made", "state.json");
    await save(["1", "2"]);
    for (const each of [path, places().backup]) expect((await stat(each)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  });

  it("keeps the mode of an existing folder", async () => {
    await fs.chmod(folder, 0o755);
    await save(["1"]);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });

  it("is cleared of temporary files that killed runs left", async () => {
    await writeFile(join(folder, ".state.json.0123456789abcdef.tmp"), "half");
    await fs.mkdir(stateFolder(path), { recursive: true });
    await writeFile(join(stateFolder(path), ".reserve.0123456789abcdef.tmp"), "half");
    await writeFile(places().reserve, "room");
    await writeFile(places().newBackup, "old");
    await localBackend(path).withLock(lockRequest(), async () => {});
    expect(await names()).toEqual([]);
  });

  it("makes a new backup after a save that failed", async () => {
    await save(["1", "2"]);
    await rm(places().backup);
    await fs.link(path, places().backup);
    await save(["3"]);
    expect(await readFile(places().backup, "utf8")).toBe("2");
    expect(await names()).toEqual([".amp-admin/backup", "state.json"]);
  });

  it("is the file behind a symbolic link, with one lock for both names", async () => {
    const link = join(folder, "link.json");
    await save(["1"]);
    await symlink(path, link);
    await localBackend(link).withLock(lockRequest(), async (held) => {
      expect(await held.read()).toBe("1");
      await held.write("2", "result");
      expect(await thrownBy(save(["mine"]))).toBeInstanceOf(ConflictError);
    });
    expect(await readFile(path, "utf8")).toBe("2");
    expect((await fs.lstat(link)).isSymbolicLink()).toBe(true);
  });

  it("behind a link out of its folder is refused, and nothing is made", async () => {
    const checkout = join(folder, "checkout");
    await fs.mkdir(checkout);
    await writeFile(path, "{}");
    const link = join(checkout, "state.json");
    await symlink(path, link);
    const message = `${link} is a link to ${await fs.realpath(path)}, outside its folder`;
    expect(await thrownBy(localBackend(link).read())).toMatchObject({ exit: "usage", message });
    const work = () => expect.unreachable("no work on such a file");
    const locking = localBackend(link).withLock(lockRequest(), work);
    expect(await thrownBy(locking)).toMatchObject({ message });
    expect((await readdir(folder)).toSorted()).toEqual(["checkout", "state.json"]);
    expect(await readdir(checkout)).toEqual(["state.json"]);
  });

  it("below a link out of the project's folder is refused, and nothing is made", async () => {
    const checkout = join(folder, "checkout");
    const elsewhere = join(folder, "elsewhere");
    for (const each of [checkout, elsewhere, join(checkout, "shared")]) await fs.mkdir(each);
    await symlink(elsewhere, join(checkout, "out"));
    await symlink(join(checkout, "shared"), join(checkout, "in"));
    const at = (name: string) => localBackend(join(checkout, name), fs, checkout);
    for (const name of ["out/state.json", "out/new/state.json"]) {
      const message = `${join(checkout, name)} is below a link to ${await fs.realpath(elsewhere)}, outside ${checkout}`;
      expect(await thrownBy(at(name).read())).toMatchObject({ exit: "usage", message });
      const work = () => expect.unreachable("no work on such a file");
      expect(await thrownBy(at(name).withLock(lockRequest(), work))).toMatchObject({ message });
    }
    expect(await readdir(elsewhere)).toEqual([]);
    for (const name of ["in/state.json", "new/state.json"]) {
      await at(name).withLock(lockRequest(), (held) => held.write("1", "result"));
      expect(await at(name).read()).toBe("1");
    }
  });

  it("with a second name is refused, and left as it is", async () => {
    await save(["1", "2"]);
    const other = join(folder, "other.json");
    await fs.link(path, other);
    for (const each of [path, other]) {
      const message = `${each} has a second hard link`;
      expect(await thrownBy(localBackend(each).read())).toMatchObject({ exit: "usage", message });
      const work = () => expect.unreachable("no work on such a file");
      const locking = localBackend(each).withLock(lockRequest(), work);
      expect(await thrownBy(locking)).toMatchObject({ message });
    }
    await rm(other);
    await save(["3"]);
    expect(await readFile(path, "utf8")).toBe("3");
  });

  it.each(["backup", "newBackup"] as const)(
    "has the %s of a killed save as a second name",
    async (name) => {
      await save(["1"]);
      await fs.link(path, places()[name]);
      expect(await localBackend(path).read()).toBe("1");
      await save(["2"]);
      expect(await readFile(places().backup, "utf8")).toBe("1");
    },
  );

  it("behind a link to nothing is refused, and nothing is made", async () => {
    await symlink(join(folder, "elsewhere.json"), path);
    const message = `${path} is a symbolic link to a file that does not exist`;
    expect(await thrownBy(localBackend(path).read())).toMatchObject({ message });
    expect(await thrownBy(save(["1"]))).toMatchObject({ name: "UsageError", message });
    expect(await names()).toEqual(["state.json"]);
  });

  it("is never taken for a link while another run makes it", async () => {
    for (let round = 0; round < 300; round += 1) {
      const looks = [resolveStateFile(path), resolveStateFile(path), resolveStateFile(path)];
      const [, ...found] = await Promise.all([writeFile(path, "1"), ...looks]);
      expect(found).toEqual([path, path, path]);
      await rm(path);
    }
  });

  it("that is a folder is refused", async () => {
    await fs.mkdir(path);
    const error = await thrownBy(localBackend(path).read());
    expect(error).toMatchObject({ name: "UsageError", message: `${path} is not a regular file` });
  });

  it("that cannot be locked is refused with the reason of the file system", async () => {
    await writeFile(path, "");
    const below = localBackend(join(path, "state.json"));
    const error = await thrownBy(below.withLock(lockRequest(), async () => {}));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(
      /^Cannot lock .*: (?:a part of its path is not a folder|it already exists)$/u,
    );
  });

  it.skipIf(process.geteuid?.() === 0)("is not made in a folder that is read-only", async () => {
    await fs.chmod(folder, 0o500);
    const error = await thrownBy(save(["1"]));
    await fs.chmod(folder, 0o700);
    expect(error).toMatchObject({
      name: "UsageError",
      message: `Cannot lock ${path}: permission denied`,
    });
  });
});

describe("a save of a state file", () => {
  /** Every step of it but those of the reserve. */
  const STEPS = ["link", "rename backup", "mkdir", "open", "write", "sync", "close", "rename"];
  const LATE = ["open folder", "sync folder", "close folder"];

  /** Saves once while one step fails, each time that it is taken. */
  async function saveFailingAt(step: string, text: string): Promise<void> {
    let armed = false;
    const disk = steppedDisk((name) => {
      if (armed && name === step) throw systemError("EROFS", "read-only file system", name);
    });
    await localBackend(path, disk).withLock(lockRequest(), async (held) => {
      armed = true;
      await held.write(text, "result");
    });
  }

  it("takes the steps of a durable write, the backup first", async () => {
    await save(["1"]);
    const taken: string[] = [];
    const disk = steppedDisk((name) => taken.push(name));
    await localBackend(path, disk).withLock(lockRequest(), (held) => held.write("2", "result"));
    expect(taken).toEqual([...STEPS, ...LATE]);
  });

  it.each(STEPS)("leaves the old text when %s fails", async (step) => {
    await save(["1", "2"]);
    const error = await thrownBy(saveFailingAt(step, "3"));
    expect(error).toMatchObject({
      name: "UsageError",
      message: `Cannot save ${path}: the file system is read-only`,
      facts: { remedy: "Make its folder writable, or set another state." },
    });
    expect(await readFile(path, "utf8")).toBe("2");
    expect(await readFile(places().backup, "utf8")).toMatch(/^[12]$/u);
    await save(["3"]);
    expect(await readFile(path, "utf8")).toBe("3");
    expect(await readFile(places().backup, "utf8")).toBe("2");
    expect(await names()).toEqual([".amp-admin/backup", "state.json"]);
  });

  it.each(LATE)("reports that %s failed, with the new text whole", async (step) => {
    await save(["1", "2"]);
    expect(await thrownBy(saveFailingAt(step, "3"))).toBeInstanceOf(UsageError);
    expect(await readFile(path, "utf8")).toBe("3");
  });

  it.each([...STEPS, ...LATE])("leaves a whole state when it is killed at %s", async (step) => {
    await save(["1", "2"]);
    // What a kill leaves is what stands at that moment.
    const disk = steppedDisk((name) => {
      if (name === step) throw new Killed();
    });
    disk.unlink = async () => {};
    await localBackend(path, disk)
      .withLock(lockRequest(), (held) => held.write("3", "result"))
      .catch(() => {});
    expect(await readFile(path, "utf8")).toMatch(/^[23]$/u);
    expect(await readFile(places().backup, "utf8")).toMatch(/^[12]$/u);
    await save(["4"]);
    expect(await names()).toEqual([".amp-admin/backup", "state.json"]);
  });
});

class Killed extends Error {}

describe("the journal of a state file", () => {
  const HEADER = journalHeader("j1");
  const SNAPSHOT = stateText(newState(TARGET, "l", "s"), "j1");
  const line = (serial: number) => journalLine(serial, [["lists", true]]);

  /** Begins a journal on a disk, and works with it. */
  async function journaled(
    work: (journal: StateJournal, held: LockedState) => Promise<void>,
    disk?: StateFileSystem,
  ): Promise<void> {
    await localBackend(path, disk).withLock(lockRequest(), async (held) => {
      await held.journal?.begin(HEADER);
      await held.write(SNAPSHOT, "intent");
      if (held.journal) await work(held.journal, held);
    });
  }

  it("is a private file beside it, and is read together with the state that names it", async () => {
    await journaled(async (journal) => {
      await journal.append(line(1), "intent");
      await journal.append(line(2), "result");
    });
    expect(await names()).toEqual([".amp-admin/journal", "state.json"]);
    expect((await stat(places().journal)).mode & 0o777).toBe(0o600);
    const lines = HEADER + line(1) + line(2);
    expect(await readFile(places().journal, "utf8")).toBe(lines);
    expect(await localBackend(path).read()).toBe(withJournal(SNAPSHOT, lines));
    await save(["1"]);
    expect(await localBackend(path).read()).toBe("1");
  });

  it("is whole for the backup, too, until the next one begins", async () => {
    await journaled((journal) => journal.append(line(1), "intent"));
    await save(["1"]);
    await fs.copyFile(places().backup, path);
    expect(await localBackend(path).read()).toBe(withJournal(SNAPSHOT, HEADER + line(1)));
  });

  it("of another snapshot is left out", async () => {
    await writeFile(path, SNAPSHOT);
    expect(await localBackend(path).read()).toBe(SNAPSHOT);
    await fs.mkdir(stateFolder(path), { recursive: true });
    await writeFile(places().journal, journalHeader("j2") + line(1));
    expect(await localBackend(path).read()).toBe(SNAPSHOT);
  });

  it("takes a line in three steps, the sync before the end", async () => {
    const taken: string[] = [];
    const disk = steppedDisk((name) => taken.push(name));
    await journaled(async (journal) => {
      taken.length = 0;
      await journal.append(line(1), "result");
    }, disk);
    expect(taken).toEqual(["open", "write", "sync", "close"]);
  });

  it.each(["open", "write", "sync", "close"])("reports that %s of a line failed", async (step) => {
    let armed = false;
    const disk = steppedDisk((name) => {
      if (armed && name === step) throw systemError("EIO", "i/o error", name);
    });
    await journaled(async (journal) => {
      armed = true;
      const error = await thrownBy(journal.append(line(1), "result"));
      expect(error).toMatchObject({ message: `Cannot save ${path}: disk error` });
    }, disk);
  });

  it.each(["changed", "removed"])("that another program %s takes no line", async (how) => {
    await journaled(async (journal) => {
      await journal.append(line(1), "intent");
      if (how === "changed") await fs.appendFile(places().journal, "x");
      else await rm(places().journal);
      const error = await thrownBy(journal.append(line(2), "intent"));
      expect(error).toMatchObject({ message: `Cannot save ${path}: another program changed it` });
    });
  });

  it("takes no line once the lock is lost", async () => {
    await journaled(async (journal) => {
      await localBackend(path).unlock(await lockId(localBackend(path)), true);
      expect(await thrownBy(journal.append(line(1), "intent"))).toBeInstanceOf(ConflictError);
      expect(await readFile(places().journal, "utf8")).toBe(HEADER);
    });
  });

  it("keeps room for the whole state on a disk that gets full", async () => {
    const disk = quotaDisk(folder);
    await journaled(async (journal, held) => {
      const large = journalLine(1, [
        ["entry", "topic/a", begunEntry({ idempotencyKey: "k".repeat(90_000) })],
      ]);
      await journal.append(large, "intent");
      // Full to the last byte, as another program leaves a disk.
      disk.size = await used();
      expect(await thrownBy(journal.append(line(2), "result"))).toBeInstanceOf(UsageError);
      await held.write("y".repeat(SNAPSHOT.length + large.length), "result");
    }, disk);
    expect(await names()).not.toContain(".amp-admin/reserve");
  });

  it("loses what a killed run left of a new one", async () => {
    await fs.mkdir(stateFolder(path), { recursive: true });
    await writeFile(join(stateFolder(path), ".journal.0123456789abcdef.tmp"), "half");
    await localBackend(path).withLock(lockRequest(), async () => {});
    expect(await names()).toEqual([]);
  });
});

describe("a full disk", () => {
  const INTENT = JSON.stringify({ pending: "x".repeat(1000) });
  const RESULT = JSON.stringify({ pending: "x".repeat(1000), id: "y".repeat(100) });

  it("refuses an intent, and leaves the state as it was", async () => {
    const disk = quotaDisk(folder);
    await save([INTENT]);
    disk.size = 40_000;
    const error = await thrownBy(save([RESULT], disk));
    expect(error).toMatchObject({
      name: "UsageError",
      message: `Cannot save ${path}: no space left on the disk`,
    });
    expect(await readFile(path, "utf8")).toBe(INTENT);
    expect(await names()).toEqual(["state.json"]);
  });

  it("lets a result be saved in the reserve, and no further intent", async () => {
    const disk = quotaDisk(folder);
    await localBackend(path, disk).withLock(lockRequest(), async (held) => {
      await held.write(INTENT, "intent");
      expect(await names()).toEqual([".amp-admin/reserve", "state.json"]);
      // Full to the last byte, as another program leaves a disk.
      disk.size = await used();
      await held.write(RESULT, "result");
      expect(await readFile(path, "utf8")).toBe(RESULT);
      expect(await names()).not.toContain(".amp-admin/reserve");
      disk.size = await used();
      expect(await thrownBy(held.write(INTENT, "intent"))).toBeInstanceOf(UsageError);
    });
    expect(await readFile(path, "utf8")).toBe(RESULT);
    expect(await names()).toEqual([".amp-admin/backup", "state.json"]);
  });

  it("reserves more room for a larger state", async () => {
    const large = JSON.stringify({ text: "x".repeat(200_000) });
    const disk = quotaDisk(folder);
    await localBackend(path, disk).withLock(lockRequest(), async (held) => {
      await held.write("small", "intent");
      await held.write(large, "intent");
      disk.size = await used();
      await held.write(`${large} `, "result");
      expect(await readFile(path, "utf8")).toBe(`${large} `);
    });
  });

  it("without any room for a result is reported", async () => {
    const disk = quotaDisk(folder);
    await localBackend(path, disk).withLock(lockRequest(), async (held) => {
      await held.write(INTENT, "intent");
      disk.size = 10;
      expect(await thrownBy(held.write(RESULT, "result"))).toBeInstanceOf(UsageError);
      expect(await readFile(path, "utf8")).toBe(INTENT);
    });
  });
});

describe("the lock of a state file", () => {
  it.skipIf(!onLinux)("is taken over from processes that were killed with it", async () => {
    const script = fileURLToPath(new URL("killed-holder.ts", import.meta.url));
    const start = (text: string) =>
      once(spawn(process.execPath, [script, path, text], { stdio: "inherit" }), "exit");
    const ends = await Promise.all(["1", "2", "3"].map(start));
    expect(ends.map(([, signal]) => signal)).toEqual(["SIGKILL", "SIGKILL", "SIGKILL"]);
    expect(await names()).toContain(".amp-admin/reserve");
    await localBackend(path).withLock(lockRequest(), async (held) => {
      expect(await held.read()).toMatch(/^[123]$/u);
    });
    expect(await names()).toEqual([".amp-admin/backup", "state.json"]);
  });

  it.each([
    ["another host", { host: "elsewhere" }, "process 1 on elsewhere"],
    [
      "another boot under the same name",
      { bootId: "before" },
      `process 1 on ${hostname()} (before a restart, or another machine of this name)`,
    ],
  ])("of %s is removed by its ID alone", async (_, place, who) => {
    const owner = { ...thisOwner("amp notify apply"), pid: 1, started: "1", ...place };
    await fs.mkdir(lockFolder(places().lock), { recursive: true });
    await writeFile(join(lockFolder(places().lock), "7"), JSON.stringify(owner));
    const backend = localBackend(path);
    const error = await thrownBy(backend.withLock(lockRequest(), async () => {}));
    expect(holderIn(error)).toMatchObject({ id: owner.id, who });
    expect(await thrownBy(backend.unlock("another", true))).toBeInstanceOf(ConflictError);
    expect(await lockId(backend)).toBe(owner.id);
    await backend.unlock(owner.id, true);
    await expect(backend.withLock(lockRequest(), async () => 1)).resolves.toBe(1);
  });

  it("that was removed is noticed by its holder at once", async () => {
    const backend = localBackend(path);
    const { held, free } = await holdLock(backend);
    await held.write("1", "intent");
    await backend.unlock(await lockId(backend), true);
    expect(await thrownBy(held.check())).toBeInstanceOf(ConflictError);
    expect(await thrownBy(held.write("2", "result"))).toBeInstanceOf(ConflictError);
    expect(await readFile(path, "utf8")).toBe("1");
    await free();
  });

  it.runIf(process.platform === "linux")(
    "of a process that still runs is removed only by force, and not suggested to be",
    async () => {
      const backend = localBackend(path);
      const { held, free } = await holdLock(backend);
      const locked = await thrownBy(backend.withLock(lockRequest(), async () => {}));
      expect(locked.facts.remedy).toBe("Set AMP_LOCK_WAIT=5m to wait for it to finish.");
      expect(locked.facts.suggestion).toBeUndefined();
      const refused = await thrownBy(backend.unlock(await lockId(backend), false));
      expect(refused).toBeInstanceOf(ConflictError);
      expect(refused.message).toContain("is still running");
      expect(refused.facts.detail).toContain(`process ${process.pid} on`);
      await held.check();
      await backend.unlock(await lockId(backend), true);
      await expect(held.check()).rejects.toThrow("was removed while it was held");
      await free();
    },
  );

  it("that was lost leaves the files of the next holder", async () => {
    const backend = localBackend(path);
    const first = await holdLock(backend);
    await backend.unlock(await lockId(backend), true);
    const second = await holdLock(backend);
    await second.held.write("1", "intent");
    await writeFile(join(folder, ".state.json.0123456789abcdef.tmp"), "half");
    await first.free();
    expect(await names()).toEqual([
      ".amp-admin/reserve",
      ".state.json.0123456789abcdef.tmp",
      "state.json",
    ]);
    await second.free();
    expect(await names()).toEqual(["state.json"]);
  });

  it("with an unreadable record is refused with its folder", async () => {
    await fs.mkdir(lockFolder(places().lock), { recursive: true });
    await writeFile(join(lockFolder(places().lock), "1"), "{");
    const error = await thrownBy(localBackend(path).withLock(lockRequest(), async () => {}));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.facts.remedy).toContain(`remove ${lockFolder(places().lock)}`);
  });

  it("that does not exist cannot be removed, and nothing is made", async () => {
    expect(await thrownBy(localBackend(path).unlock("any", true))).toMatchObject({
      name: "NotFoundError",
    });
    expect(await readdir(folder)).toEqual([]);
  });
});
