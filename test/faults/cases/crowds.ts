import type { Case } from "../case.ts";
import { APPLY, type Bench } from "../workbench.ts";

const FIVE = 5;

/** Five applies at once; each may end in these ways. */
function crowd(words: readonly string[], codes: readonly (number | null)[]) {
  return async (bench: Bench) => {
    const runs = Array.from({ length: FIVE }, () => bench.run([...APPLY, ...words]));
    const ends = (await Promise.all(runs)).map(({ code, stderr }) => ({ code, stderr }));
    const odd = ends.find(({ code }) => !codes.includes(code));
    if (odd) throw new Error(`one of five ended with ${odd.code}:\n${odd.stderr}`);
    if (!ends.some(({ code }) => code === 0 || code === null)) throw new Error("all gave up");
  };
}

async function killAll({ running }: Bench): Promise<void> {
  for (const run of running) run.signal("SIGKILL");
  await Promise.all(running.map(({ ended }) => ended));
}

/** Several runs of one state. */
export const crowdCases: readonly Case[] = [true, false].flatMap((lists): Case[] => [
  {
    group: "crowds",
    name: "without waiting",
    lists,
    core: lists,
    faulted: crowd([], [0, 5]),
    ends: ["survived"],
  },
  {
    group: "crowds",
    name: "waiting for each other",
    lists,
    core: !lists,
    faulted: crowd(["AMP_LOCK_WAIT=60s"], [0]),
    ends: ["survived"],
  },
  {
    group: "crowds",
    name: "all killed at the fifth create",
    lists,
    hooks: [{ on: "POST notification-event-topic-routes", nth: 2, moment: "passed", act: killAll }],
    faulted: crowd(["AMP_LOCK_WAIT=60s"], [null]),
  },
]);
