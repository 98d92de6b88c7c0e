import { unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Case } from "../case.ts";
import { CREATES } from "../routing.ts";
import { canMount, empty, fill, onSmallDisk, remount } from "../small-disk.ts";
import { type Bench, type Hook, placesOf } from "../workbench.ts";

const stateFolder = ({ stateFile }: Bench) => dirname(stateFile);
type Failing = Pick<Case, "name" | "prepare" | "hooks" | "between" | "trip" | "words">;

/** At the look that comes before the first intent. */
const beforeIntent = (act: Hook["act"]): Hook => ({
  on: "GET destinations",
  nth: 1,
  moment: "arrived",
  act,
});
/** At a create: its intent is saved, its result is not. */
const beforeResult = (at: number, act: Hook["act"]): Hook => {
  const [path, nth] = CREATES[at] ?? CREATES[0];
  return { on: `POST ${path}`, nth, moment: "arrived", act };
};

const onDisk = (bench: Bench) => onSmallDisk(bench);
const full = (bench: Bench) => fill(stateFolder(bench));
const roomy = (bench: Bench) => empty(stateFolder(bench));
const fixed = (bench: Bench) => remount(stateFolder(bench), "ro");
const free = (bench: Bench) => remount(stateFolder(bench), "rw");

/** Full to the last byte, and no reserve to give up. */
async function fuller(bench: Bench): Promise<void> {
  await unlink(placesOf(bench).reserve).catch(() => {});
  await full(bench);
}

/** Neither the state nor what is errored has a place. */
async function fullest(bench: Bench): Promise<void> {
  await fuller(bench);
  await fill(bench.temporary);
}

/** On a disk of its own. */
const MOUNTED: readonly Failing[] = [
  {
    name: "the disk is full before anything",
    prepare: async (bench) => {
      onDisk(bench);
      await full(bench);
    },
    between: roomy,
  },
  {
    name: "the disk is full at the first intent",
    prepare: async (bench) => onDisk(bench),
    hooks: [beforeIntent(full)],
    between: roomy,
  },
  ...[0, 4, 7].flatMap((at): Failing[] => [
    {
      name: `the disk is full at the result of create ${at + 1}`,
      prepare: async (bench) => onDisk(bench),
      hooks: [beforeResult(at, full)],
      between: roomy,
    },
    {
      name: `the disk is full at the result of create ${at + 1}, the reserve gone`,
      prepare: async (bench) => onDisk(bench),
      hooks: [beforeResult(at, fuller)],
      between: roomy,
    },
    {
      name: `both disks are full at the result of create ${at + 1}`,
      prepare: async (bench) => {
        onDisk(bench);
        onSmallDisk(bench, bench.temporary);
      },
      hooks: [beforeResult(at, fullest)],
      between: async (bench) => {
        await roomy(bench);
        await empty(bench.temporary);
      },
    },
  ]),
  {
    name: "the folder is read-only before anything",
    prepare: async (bench) => {
      onDisk(bench);
      fixed(bench);
    },
    between: async (bench) => free(bench),
  },
  {
    name: "the folder is read-only from the first intent on",
    prepare: async (bench) => onDisk(bench),
    hooks: [beforeIntent(fixed)],
    between: async (bench) => free(bench),
  },
  ...[0, 4].map(
    (at): Failing => ({
      name: `the folder is read-only at the result of create ${at + 1}`,
      prepare: async (bench) => onDisk(bench),
      hooks: [beforeResult(at, fixed)],
      between: async (bench) => free(bench),
    }),
  ),
];

/** The same as far as the file layer can play it, where nothing can be mounted. */
const PLAYED: readonly Failing[] = (["ENOSPC", "EROFS"] as const).flatMap((code) =>
  [1, 2, 3, 8, 9].map(
    (nth): Failing => ({
      name: `${code} at save ${nth}`,
      words: ["AMP_PARALLEL=1"],
      trip: {
        call: code === "ENOSPC" ? "write" : "open",
        path: "\\.tmp$",
        nth,
        when: "before",
        act: { code },
      },
    }),
  ),
);

/** How the full disk comes about here, for the head of the table. */
export function diskWords(): string {
  return canMount()
    ? "a tmpfs of 256 kB, filled to the last byte; read-only by remounting it"
    : "ENOSPC and EROFS from the file layer, for nothing can be mounted here";
}

/** No room, or no permission, for what must be saved. */
export function diskCases(): Case[] {
  return (canMount() ? MOUNTED : PLAYED).flatMap((failing, at) =>
    [true, false].map(
      (lists): Case => ({ ...failing, group: "disk", lists, core: at === 1 || at === 3 }),
    ),
  );
}
