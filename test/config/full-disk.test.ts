import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { writeProfileFile } from "../../src/config/change-profiles.ts";
import { UsageError } from "../../src/errors.ts";

/** conf with the fault of its writer: half of the file on a full disk, and success reported. */
vi.mock("conf", async () => {
  const { truncateSync } = await import("node:fs");
  const { default: Conf } = await vi.importActual<typeof import("conf")>("conf");
  class HalfConf extends Conf {
    override set store(value: Record<string, unknown>) {
      super.store = value;
      truncateSync(this.path, 20);
    }
    override get store(): Record<string, unknown> {
      return super.store;
    }
  }
  return { default: HalfConf };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "amp-full-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("puts the old profiles back when only a part of the new ones arrived", async () => {
  const before = '{ "active": "a", "profiles": { "a": { "baseUrl": "https://a.b/v1" } } }';
  await writeFile(join(folder, "config.json"), before);
  const write = writeProfileFile(folder, { active: undefined, profiles: new Map() });
  await expect(write).rejects.toThrow(UsageError);
  await expect(write).rejects.toThrow(/only a part of it arrived/u);
  expect(await readFile(join(folder, "config.json"), "utf8")).toBe(before);
});

it("leaves no part of a file where there was none", async () => {
  const write = writeProfileFile(folder, { active: "abcdefgh", profiles: new Map() });
  await expect(write).rejects.toThrow(/only a part of it arrived/u);
  expect(await readdir(folder)).toEqual([]);
});
