import { writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Case } from "../case.ts";
import { laggingLists } from "../front.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";
import { BEFORE, CHANGES } from "./updates.ts";

/** Requests that every run sends, and more. */
const REQUESTS = 9;
/** The longest time from a request to the kill; the next request has often come by then. */
const LATEST_MS = 20;
/** The moments of a request at which a run is killed. */
export const MOMENTS = ["arrived", "passed", "answered"] as const;
/** Lists are behind by less than the horizon of {@link APPLY}. */
const LONGEST_LAG_MS = 800;

/** Numbers that look random, from 0 to 1, and are equal for equal seeds (mulberry32). */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A whole run, a change of the file, and then one to three runs of it, each killed at some moment of a
 * request or soon after it.
 */
function changeKilledAtRandom(seed: number, lists: boolean): Case {
  const random = numbersOf(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const kills = 1 + upTo(2);
  const change = CHANGES[upTo(CHANGES.length - 1)] ?? CHANGES[0];
  if (change === undefined) throw new Error("there are no changes");
  const ms = upTo(LATEST_MS);
  const moment = MOMENTS[upTo(2)] ?? "arrived";
  const nth = Array.from({ length: kills }, () => 1 + upTo(REQUESTS + change.writes.length));
  let seen = 0;
  let target: number | undefined;
  const hook: Hook = {
    on: "* *",
    nth: 1,
    times: 10_000,
    moment,
    act: ({ running }) => {
      seen += 1;
      if (seen !== target) return;
      const last = running.at(-1);
      setTimeout(() => last?.signal("SIGKILL"), ms);
    },
  };
  const { name, text, words, wanted, holds } = change;
  return {
    group: "kills",
    name: `seed ${seed}: ${name}, killed at requests ${nth.join(", ")}, ${ms} ms after ${moment}`,
    lists,
    hooks: [hook],
    cleanWords: words,
    ...(wanted === undefined ? {} : { wanted }),
    holds,
    faulted: async (bench: Bench) => {
      await writeFile(bench.routingFile, BEFORE);
      await bench.run(APPLY);
      await writeFile(bench.routingFile, text);
      for (const at of nth) {
        seen = 0;
        target = at;
        await bench.run([...APPLY, ...words]);
      }
      target = undefined;
      await pause(LATEST_MS);
    },
  };
}

/** One to three runs, each of which is killed at some moment of a request or soon after it. */
function killedAtRandom(seed: number, lists: boolean): Case {
  const random = numbersOf(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const kills = 1 + upTo(2);
  let isArmed = false;
  const done = new Set<number>();
  const hooks = Array.from({ length: kills }, (_, at): readonly Hook[] => {
    const ms = upTo(LATEST_MS);
    const nth = 1 + at * REQUESTS + upTo(REQUESTS - 1);
    const moment = MOMENTS[upTo(2)] ?? "arrived";
    const act: Hook["act"] = ({ running }) => {
      if (done.has(at)) return;
      done.add(at);
      // The request goes on meanwhile.
      setTimeout(() => isArmed && running.at(-1)?.signal("SIGKILL"), ms);
    };
    // A request for a list that the service does not have passes nothing, but it is answered.
    const moments = moment === "passed" ? ([moment, "answered"] as const) : [moment];
    return moments.map((when) => ({ on: "* *", nth, moment: when, act }));
  }).flat();
  const lagMs = upTo(1) * upTo(LONGEST_LAG_MS);
  const parallel = `${1 + upTo(3)}`;
  return {
    group: "kills",
    name: `seed ${seed}: ${kills} kills, lists ${lagMs} ms behind, AMP_PARALLEL=${parallel}`,
    lists,
    hooks,
    front: () => laggingLists(lists ? lagMs : 0),
    faulted: async (bench: Bench) => {
      // The case is run for each program.
      done.clear();
      isArmed = true;
      for (let run = 0; run < kills; run++) await bench.run([...APPLY, `AMP_PARALLEL=${parallel}`]);
      await pause(LATEST_MS);
      isArmed = false;
      if (!bench.ended.some(({ signal }) => signal === "SIGKILL"))
        throw new Error("nothing was killed");
    },
  };
}

/**
 * Runs that are killed at random, as many with lists as without. Every second one changes what an
 * earlier run has made.
 */
export function randomKills(runs: number, seed: number): Case[] {
  const killed = (at: number, lists: boolean) =>
    at % 2 === 0 ? killedAtRandom(seed + at, lists) : changeKilledAtRandom(seed + at, lists);
  return [true, false].flatMap((lists) =>
    Array.from({ length: runs }, (_, at) => killed(at, lists)),
  );
}
