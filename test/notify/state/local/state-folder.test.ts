import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseState, stateText } from "../../../../src/notify/state/format.ts";
import { localBackend } from "../../../../src/notify/state/local/local-backend.ts";
import { placesOf, stateFolder } from "../../../../src/notify/state/local/state-file.ts";
import { newState } from "../../../../src/notify/state/state.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { lockRequest } from "../backend-conformance.ts";
import { TARGET, thrownBy } from "../state-fixture.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "state.json");
});

/** The text of a state as amp writes it. */
const text = (serial: number, journal?: string) =>
  stateText({ ...newState(TARGET, "lineage", "salt"), serial }, journal);
const serialIn = (source: string | undefined) => parseState(source ?? text(0), path).serial;

const save = (...texts: readonly string[]) =>
  localBackend(path).withLock(lockRequest(), async (held) => {
    for (const one of texts) await held.write(one, "result");
  });

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

  it("do not have the lock behind a link", async () => {
    const name = ".amp-admin/state.json/state.lock.d";
    const elsewhere = temporaryFolder();
    await writeFile(join(elsewhere, "own.draft"), "own");
    await mkdir(join(folder, ".amp-admin", "state.json"), { recursive: true });
    await symlink(elsewhere, join(folder, name));
    const message = `Cannot create a lock in ${join(folder, name)}: it is not a folder`;
    expect(await thrownBy(save(text(1)))).toMatchObject({ name: "UsageError", message });
    expect(await readdir(elsewhere)).toEqual(["own.draft"]);
  });
});
