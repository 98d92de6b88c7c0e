import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readlinkSync } from "node:fs";
import { link, mkdir, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Owner } from "../../../src/durable/owner.ts";
import type { Case } from "../case.ts";
import { APPLY, type Bench, placesOf } from "../workbench.ts";

const lockFolder = (bench: Bench) => `${placesOf(bench).lock}.lock.d`;

/** What amp would write of this process, as far as the system tells it. */
function thisOwner(): Owner {
  const told = (read: () => string | undefined) => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  return {
    id: randomUUID(),
    pid: process.pid,
    // The 22nd field, after a name that may hold anything.
    started: told(() => readFileSync("/proc/self/stat", "utf8").split(")").at(-1)?.split(" ")[20]),
    host: hostname(),
    bootId: told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: told(() => readlinkSync("/proc/self/ns/pid")),
    command: "amp notify apply -f routing.yaml",
    since: new Date().toISOString(),
  };
}

/** Puts a record into the lock's folder, as an earlier holder would have left it. */
function leave(owner: Partial<Owner> | string) {
  return async (bench: Bench) => {
    await mkdir(lockFolder(bench), { recursive: true, mode: 0o700 });
    const record = typeof owner === "string" ? owner : JSON.stringify({ ...thisOwner(), ...owner });
    await writeFile(join(lockFolder(bench), "4"), record, { mode: 0o600 });
  };
}

async function pidOfTheDead(): Promise<number> {
  const child = spawn(process.execPath, ["--eval", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

/** The holder gives it back. */
const giveBack = (bench: Bench) =>
  link(join(lockFolder(bench), "4"), join(lockFolder(bench), "4.released"));

const remove = (bench: Bench) => rm(lockFolder(bench), { recursive: true });

const ID = "5d0a7c1e-6f0b-4b86-9d43-1f7c2c0ce3aa";

/** As a person does who was told the lock's id. */
const unlock = async (bench: Bench) => {
  const told = bench.ended.at(-1)?.stderr ?? "";
  if (!told.includes(`amp notify state unlock ${ID}`))
    throw new Error(`no way out is told:\n${told}`);
  await bench.run(["notify", "state", "unlock", ID, "--yes"]);
};

/** Locks of all kinds of holders, met before anything is sent. */
export const lockCases: readonly Case[] = [true, false].flatMap((lists): Case[] =>
  (
    [
      {
        name: "of a dead process",
        prepare: async (bench) => leave({ pid: await pidOfTheDead() })(bench),
        exits: [0],
        core: true,
      },
      { name: "of a recycled process", prepare: leave({ started: "1" }), exits: [0], core: true },
      {
        name: "of before a restart, or of another machine of this name, taken away by its id",
        prepare: leave({ bootId: "before", started: "1", id: ID }),
        exits: [5],
        between: unlock,
        core: true,
      },
      {
        name: "of a live process, that ends",
        prepare: leave({}),
        exits: [5],
        between: giveBack,
        core: true,
      },
      {
        name: "of another host, taken away by its id",
        prepare: leave({ host: "elsewhere", started: "1", id: ID }),
        exits: [5],
        between: unlock,
        core: true,
      },
      {
        name: "of another container, taken away by its id",
        prepare: leave({ pidNamespace: "pid:[1]", started: "1", id: ID }),
        exits: [5],
        between: unlock,
      },
      {
        name: "of a record that is cut, removed by hand",
        prepare: leave(JSON.stringify(thisOwner()).slice(0, -9)),
        exits: [5],
        between: remove,
      },
      {
        name: "taken away while a create is under way",
        hooks: [
          { on: "POST notification-event-topic-routes", nth: 2, moment: "arrived", act: remove },
        ],
      },
      {
        name: "taken away while a create is under way, and another run ends what this one began",
        hooks: [
          {
            on: "POST notification-event-topic-routes",
            nth: 2,
            moment: "passed",
            act: async (bench) => {
              await remove(bench);
              await bench.run(APPLY);
            },
          },
        ],
        faulted: async (bench) => {
          const { code } = await bench.run([...APPLY, "AMP_PARALLEL=1"]);
          if (code === 0) throw new Error("it did not notice that its lock was gone");
        },
        core: true,
      },
    ] satisfies Omit<Case, "group" | "lists">[]
  ).map((one) => ({ ...one, group: "locks", lists, silent: "exits" in one && one.exits[0] === 5 })),
);
