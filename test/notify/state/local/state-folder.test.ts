import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { withLock } from "../../../../src/durable/lock.ts";
import { thisOwner } from "../../../../src/durable/owner.ts";
import { ConflictError } from "../../../../src/errors.ts";
import {
  journalHeader,
  journalLine,
  parseState,
  stateText,
  withJournal,
} from "../../../../src/notify/state/format.ts";
import { localBackend } from "../../../../src/notify/state/local/local-backend.ts";
import { placesOf, stateFolder } from "../../../../src/notify/state/local/state-folder.ts";
import { newState } from "../../../../src/notify/state/state.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { holderIn, holdLock, lockRequest } from "../backend-conformance.ts";
import { TARGET, thrownBy } from "../state-fixture.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "state.json");
});

/** The text of a state as this amp writes it, and as one of before the folder did. */
const text = (serial: number, journal?: string) =>
  stateText({ ...newState(TARGET, "lineage", "salt"), serial }, journal);
const earlierText = (serial: number, journal?: string) =>
  text(serial, journal).replace('"version": 4', '"version": 3');
const serialIn = (source: string | undefined) => parseState(source ?? text(0), path).serial;

const save = (...texts: readonly string[]) =>
  localBackend(path).withLock(lockRequest(), async (held) => {
    for (const one of texts) await held.write(one, "result");
  });

/** A run of an earlier amp, which locks beside the file. */
const asEarlier = <Result>(work: () => Promise<Result>, wait = 0) =>
  withLock(path, { command: "amp of before", wait }, work);

describe("the files of a state", () => {
  it("are in one hidden folder that version control ignores, the state itself beside it", async () => {
    await save(text(1));
    await save(text(2), text(3));
    expect(await readdir(folder)).toEqual([".amp-admin", "state.json"]);
    expect(await readdir(join(folder, ".amp-admin"))).toEqual(["state.json"]);
    expect((await readdir(stateFolder(path))).sort()).toEqual([
      ".gitignore",
      "backup",
      "state.lock.d",
    ]);
    expect(await readFile(join(stateFolder(path), ".gitignore"), "utf8")).toBe("*\n");
    expect(serialIn(await readFile(placesOf(path).backup, "utf8"))).toBe(2);
    for (const each of [".amp-admin", ".amp-admin/state.json"]) {
      expect((await stat(join(folder, each))).mode & 0o777).toBe(0o700);
    }
  });

  it("leave nothing visible of a run that saved nothing", async () => {
    const failed = localBackend(path).withLock(lockRequest(), async () => {
      throw new Error("refused");
    });
    expect((await thrownBy(failed)).message).toBe("refused");
    expect(await readdir(folder)).toEqual([".amp-admin"]);
  });

  it("leave other files of the folder unchanged", async () => {
    const others = [".gitignore", "state.json.bak2", ".amp-admin/own.txt", "journal", "backup"];
    await mkdir(join(folder, ".amp-admin"), { mode: 0o755 });
    for (const name of others) await writeFile(join(folder, name), name);
    await save(text(1), text(2));
    for (const name of others) expect(await readFile(join(folder, name), "utf8")).toBe(name);
    expect((await stat(join(folder, ".amp-admin"))).mode & 0o777).toBe(0o755);
  });

  it("belong to one state each", async () => {
    const other = join(folder, "other.json");
    await save(text(1));
    await localBackend(other).withLock(lockRequest(), async () => save(text(2)));
    expect((await readdir(join(folder, ".amp-admin"))).sort()).toEqual([
      "other.json",
      "state.json",
    ]);
  });

  it.each([".amp-admin", ".amp-admin/state.json"])(
    "are not written through a link, nor over a file: %s",
    async (name) => {
      const elsewhere = temporaryFolder();
      for (const make of [
        (at: string) => symlink(elsewhere, at),
        (at: string) => writeFile(at, "own"),
      ]) {
        path = join(temporaryFolder(), "state.json");
        const at = join(path, "..", name);
        await mkdir(join(at, ".."), { recursive: true });
        await make(at);
        const error = await thrownBy(save(text(1)));
        expect(error).toMatchObject({ name: "UsageError", message: `${at} is not a folder` });
        expect(existsSync(path)).toBe(false);
      }
      expect(await readdir(elsewhere)).toEqual([]);
    },
  );

  it("are not written through a link to a folder that has what amp would make", async () => {
    const elsewhere = temporaryFolder();
    await mkdir(join(elsewhere, "state.json"));
    await writeFile(join(elsewhere, "state.json", ".gitignore"), "*\n");
    await symlink(elsewhere, join(folder, ".amp-admin"));
    const error = await thrownBy(save(text(1)));
    expect(error).toMatchObject({ message: `${join(folder, ".amp-admin")} is not a folder` });
    expect(await readdir(join(elsewhere, "state.json"))).toEqual([".gitignore"]);
  });

  it.each([".amp-admin/state.json/state.lock.d", "state.json.lock.d"])(
    "do not have the lock behind a link: %s",
    async (name) => {
      const elsewhere = temporaryFolder();
      await writeFile(join(elsewhere, "own.draft"), "own");
      await mkdir(join(folder, ".amp-admin", "state.json"), { recursive: true });
      await symlink(elsewhere, join(folder, name));
      const message = `Cannot create a lock in ${join(folder, name)}: it is not a folder`;
      expect(await thrownBy(save(text(1)))).toMatchObject({ name: "UsageError", message });
      expect(await readdir(elsewhere)).toEqual(["own.draft"]);
    },
  );
});

describe("beside an amp of before the folder", () => {
  it.each([
    ["no state", undefined],
    ["a state of its version", 7],
  ])("there is one run at a time, with %s", async (_, serial) => {
    if (serial !== undefined) await writeFile(path, earlierText(serial));
    const refused = await asEarlier(() => thrownBy(save(text(8))));
    expect(refused).toBeInstanceOf(ConflictError);
    expect(holderIn(refused)).toMatchObject({ command: "amp of before" });

    const { held, free } = await holdLock(localBackend(path));
    expect(await thrownBy(asEarlier(async () => {}))).toBeInstanceOf(ConflictError);
    await held.write(text(8), "intent");
    expect(await thrownBy(asEarlier(async () => {}))).toBeInstanceOf(ConflictError);
    await free();
    // It may lock now, and refuses the version.
    expect(await asEarlier(() => readFile(path, "utf8"))).toContain('"version": 4');
  });

  it("the lock of a run that cannot be proved dead stays, until it is removed by its ID", async () => {
    await writeFile(path, earlierText(7));
    const owner = { ...thisOwner("amp of before"), host: "elsewhere" };
    await mkdir(`${path}.lock.d`);
    await writeFile(join(`${path}.lock.d`, "3"), JSON.stringify(owner));
    expect(holderIn(await thrownBy(save(text(8))))).toMatchObject({ id: owner.id });
    await localBackend(path).unlock(owner.id, true);
    await save(text(8));
    expect(await readdir(folder)).toEqual([".amp-admin", "state.json"]);
  });

  it("a run that holds both locks loses both by its one ID", async () => {
    const { held, free } = await holdLock(localBackend(path));
    const { id = "" } = holderIn(await thrownBy(save(text(1))));
    await localBackend(path).unlock(id, true);
    expect(await thrownBy(held.check())).toBeInstanceOf(ConflictError);
    await save(text(1));
    await free();
    expect(serialIn(await localBackend(path).read())).toBe(1);
  });

  it("no save of either process is lost", async () => {
    await writeFile(path, earlierText(0));
    const wait = 20_000;
    const refused: string[] = [];
    const earlier = async () => {
      await pause(Math.random() * 40);
      await asEarlier(async () => {
        const now = await readFile(path, "utf8");
        await pause(Math.random() * 5);
        // As it refuses a version that it does not know.
        if (now.includes('"version": 4')) refused.push(now);
        else await writeFile(path, earlierText(serialIn(now) + 1));
      }, wait);
    };
    const current = async () => {
      await pause(Math.random() * 40);
      await localBackend(path).withLock({ ...lockRequest(), wait }, async (held) => {
        const now = serialIn(await held.read());
        await pause(Math.random() * 5);
        await held.write(text(now + 1), "result");
      });
    };
    const runs = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? earlier() : current()));
    const ends = await Promise.allSettled(runs);
    // Its folder may be removed while it waits: then it fails before it reads anything.
    const failed = ends.filter(({ status }) => status === "rejected");
    for (const { reason } of failed as PromiseRejectedResult[]) expect(reason.code).toBe("ENOENT");
    expect(serialIn(await localBackend(path).read())).toBe(12 - refused.length - failed.length);
  });
});

describe("a state of an amp of before the folder", () => {
  const HEADER = journalHeader("j0");
  const LINES = HEADER + journalLine(8, [["lists", true]]);

  /** What a killed run left: a state that needs its journal, the backup, a reserve, half a file. */
  async function killedRun(): Promise<void> {
    await writeFile(path, earlierText(7, "j0"));
    await writeFile(`${path}.journal`, LINES);
    await writeFile(`${path}.bak`, earlierText(6));
    await writeFile(`${path}.reserve`, "room");
    await writeFile(join(folder, ".state.json.journal.0123456789abcdef.tmp"), "half");
    await mkdir(`${path}.lock.d`);
    const dead = { ...thisOwner("amp of before"), pid: 2 ** 22 + 1, started: "1" };
    await writeFile(join(`${path}.lock.d`, "5"), JSON.stringify(dead));
  }

  it.skipIf(process.platform !== "linux")(
    "loses nothing, and moves with its next save",
    async () => {
      await killedRun();
      expect(serialIn(await localBackend(path).read())).toBe(8);
      await localBackend(path).withLock(lockRequest(), async (held) => {
        const whole = await held.read();
        expect(serialIn(whole)).toBe(8);
        await held.write(text(9), "result");
        // Until the end of the run, the earlier files are there: it may be killed, too.
        expect(await readFile(`${path}.journal`, "utf8")).toBe(LINES);
      });
      expect(serialIn(await localBackend(path).read())).toBe(9);
      expect(await readdir(folder)).toEqual([".amp-admin", "state.json"]);
      // The backup needs the earlier journal.
      await writeFile(path, await readFile(placesOf(path).backup, "utf8"));
      expect(serialIn(await localBackend(path).read())).toBe(8);
    },
  );

  it("keeps its files where a run saves nothing, so that it can be read as before", async () => {
    await writeFile(path, earlierText(7, "j0"));
    await writeFile(`${path}.journal`, LINES);
    await writeFile(`${path}.bak`, earlierText(6));
    await localBackend(path).withLock(lockRequest(), async (held) => {
      expect(await held.read()).toBe(withJournal(earlierText(7, "j0"), LINES));
    });
    expect((await readdir(folder)).sort()).toEqual([
      ".amp-admin",
      ...["state.json", "state.json.bak", "state.json.journal", "state.json.lock.d"],
    ]);
  });

  it.skipIf(process.platform !== "linux")(
    "is cleaned up after by the next run, if the first was killed after its save",
    async () => {
      await killedRun();
      await writeFile(`${path}.journal`, LINES);
      await mkdir(stateFolder(path), { recursive: true });
      await writeFile(placesOf(path).backup, earlierText(7, "j0"));
      await writeFile(path, text(9));
      await save();
      expect(await readdir(folder)).toEqual([".amp-admin", "state.json"]);
      expect(await readFile(placesOf(path).journal, "utf8")).toBe(LINES);
      expect(serialIn(await localBackend(path).read())).toBe(9);
    },
  );
});
