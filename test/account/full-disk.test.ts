import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { ProfileStore } from "../../src/account/store.ts";
import { UsageError } from "../../src/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** How the disk of a test is full. */
let fault: "half a file" | "an error";

/** conf with the faults of its writer on a full disk: half of the file and success, or an error. */
vi.mock("conf", async () => {
  const { truncateSync } = await import("node:fs");
  const { default: Conf } = await vi.importActual<typeof import("conf")>("conf");
  class FullConf extends Conf {
    override set store(value: Record<string, unknown>) {
      if (fault === "an error") throw Object.assign(new Error("write"), { code: "ENOSPC" });
      super.store = value;
      truncateSync(this.path, 20);
    }
    override get store(): Record<string, unknown> {
      return super.store;
    }
  }
  return { default: FullConf };
});

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  fault = "half a file";
});
const LOCK = "config.json.lock.d";
const BEFORE = '{ "active": "a", "profiles": { "a": { "baseUrl": "https://a.b/v1" } } }';
const write = () =>
  new ProfileStore(folder).save("b", { baseUrl: "https://a.b/v1", credential: "none" });

it("half of the new profiles is replaced by the old ones", async () => {
  await writeFile(join(folder, "config.json"), BEFORE);
  const change = write();
  await expect(change).rejects.toThrow(UsageError);
  await expect(change).rejects.toThrow(/only a part of it was written/u);
  expect(await readFile(join(folder, "config.json"), "utf8")).toBe(BEFORE);
});

it("half of the first profiles is deleted", async () => {
  const change = write();
  await expect(change).rejects.toThrow(/only a part of it was written/u);
  expect(await readdir(folder)).toEqual([LOCK]);
});

it("an error of the disk is reported in words", async () => {
  fault = "an error";
  await writeFile(join(folder, "config.json"), BEFORE);
  const change = write();
  await expect(change).rejects.toThrow(UsageError);
  await expect(change).rejects.toThrow(/^Cannot write .*config\.json: no space left on the disk/u);
  expect(await readFile(join(folder, "config.json"), "utf8")).toBe(BEFORE);
});
