import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Case } from "../case.ts";
import { laggingLists } from "../front.ts";
import { CLOCK_VARIABLE } from "../trip.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";
import { MOMENTS, numbersOf } from "./kills.ts";
import { SCALED } from "./lags.ts";

/** How late the lists are, in milliseconds; less than the horizon of {@link SCALED}. */
const LAGS = [1_500, 2_000, 2_500, 2_900];
/** How far the clock jumps between two runs, in milliseconds. */
const JUMPS = [0, 120_000, 7_200_000, -3_600_000];
const CASES = 16;
/** From one seed to the next: neighbours begin with nearly the same numbers. */
const SEED_STEP = 104_729;

/**
 * Lists that are late, kills, a clock that jumps and two machines with a state each, all in one case.
 * The machines take turns. One begins when the lists have caught up with the other: what it cannot see
 * and has not sent, nothing could tell it of. After a run of its own it does not wait.
 */
function combination(seed: number): Case {
  const random = numbersOf(seed * SEED_STEP);
  const oneOf = <Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const lagMs = oneOf(LAGS);
  // The last is the machine of the clean run.
  const turns = [...Array.from({ length: 2 + Math.floor(random() * 2) }, () => oneOf([1, 2])), 1];
  // The first run gets to the routes, which have no unique name; the others go on from there.
  const rounds = turns.map((machine, nth) => ({
    machine,
    at: (nth === 0 ? 3 : 1) + Math.floor(random() * (nth === 0 ? 4 : 2)),
    moment: oneOf(MOMENTS),
    jumpMs: oneOf(JUMPS),
  }));
  let round: (typeof rounds)[number] | undefined;
  let seen = 0;
  const hooks = MOMENTS.map(
    (moment): Hook => ({
      on: "POST *",
      nth: 1,
      times: 10_000,
      moment,
      act: ({ running }) => {
        if (round?.moment !== moment) return;
        seen += 1;
        if (seen === round.at) running.at(-1)?.signal("SIGKILL");
      },
    }),
  );
  const words = rounds.map(({ machine, at, moment }) => `${machine} at ${at} ${moment}`).join(", ");
  return {
    group: "combinations",
    name: `seed ${seed}: lists ${lagMs} ms behind, clocks jump, machines killed: ${words}`,
    lists: true,
    core: seed === 1,
    hooks,
    front: () => laggingLists(lagMs),
    prepare: async ({ env, clockFile }) => {
      env[CLOCK_VARIABLE] = clockFile;
    },
    faulted: async (bench: Bench) => {
      for (const [nth, next] of rounds.entries()) {
        if (next.machine !== rounds[nth - 1]?.machine) await pause(lagMs);
        round = next;
        seen = 0;
        if (next.machine === 2) bench.env.AMP_STATE = join(bench.folder, "state", "other.json");
        else bench.env.AMP_STATE = bench.stateFile;
        await bench.run([...APPLY, ...SCALED]);
        await writeFile(bench.clockFile, `${next.jumpMs}`);
      }
      round = undefined;
      if (!bench.ended.some(({ signal }) => signal === "SIGKILL"))
        throw new Error("nothing was killed");
    },
    cleanWords: SCALED,
  };
}

/** Several of the things that go wrong, at once. */
export const combinationCases: readonly Case[] = Array.from({ length: CASES }, (_, at) =>
  combination(at + 1),
);
