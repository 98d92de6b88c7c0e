import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { withLock } from "../../src/durable/lock.ts";
import { ConflictError } from "../../src/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** What happens between a claimant's first look and its claim, once. */
let meanwhile: (() => Promise<unknown>) | undefined;

vi.mock(import("../../src/durable/generations.ts"), async (original) => {
  const real = await original();
  return {
    ...real,
    async placeRecord(...input: Parameters<typeof real.placeRecord>) {
      const others = meanwhile;
      meanwhile = undefined;
      await others?.();
      return real.placeRecord(...input);
    },
  };
});

let root: string;
let path: string;

beforeEach(() => {
  root = temporaryFolder();
  path = join(root, "state.json");
});

const take = () => withLock(path, {}, async () => readdir(`${path}.lock.d`));

it.each([0, 1, 5])(
  "a latecomer backs out of an old number after %i earlier turns",
  async (earlier) => {
    for (let turn = 0; turn < earlier; turn += 1) await take();
    meanwhile = async () => {
      await take();
      await take();
    };
    expect(await take()).toEqual([`${earlier + 3}`]);
  },
);

it("a latecomer backs out of an old number while another holds the newest", async () => {
  await take();
  const done = Promise.withResolvers<void>();
  let holding: Promise<void> | undefined;
  meanwhile = async () => {
    await take();
    const inside = Promise.withResolvers<void>();
    holding = withLock(path, {}, async () => {
      inside.resolve();
      await done.promise;
    });
    await inside.promise;
  };
  await expect(take()).rejects.toBeInstanceOf(ConflictError);
  done.resolve();
  await holding;
  expect((await readdir(`${path}.lock.d`)).sort()).toEqual(["3", "3.released"]);
});
