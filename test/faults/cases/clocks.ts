import { writeFile } from "node:fs/promises";
import type { Case } from "../case.ts";
import { datesAhead, laggingLists, listsBehindUntil } from "../front.ts";
import { CREATES } from "../routing.ts";
import { CLOCK_VARIABLE } from "../trip.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";
import { SCALED, SOME_CREATES } from "./lags.ts";
import { kill } from "./requests.ts";

/** In milliseconds: as a clock that is set right jumps, a virtual machine's, and a winter's. */
const JUMPS = { "2 min forward": 120_000, "2 h forward": 7_200_000, "an hour back": -3_600_000 };
/** How long the lists are behind: longer than a run takes to begin. */
const BEHIND_MS = 2_000;
/** The service takes a create on only after that time, and the horizon is longer than it and a lag. */
const LATE_MS = 1_800;
const LATE_BEHIND_MS = 500;
const PATIENT = ["AMP_COMMIT_HORIZON=30s"];

type Twist = Pick<Case, "name" | "script" | "hooks" | "between" | "front">;

function twistsOf(path: string, nth: number, jump: Hook["act"]): Twist[] {
  const on = `POST ${path}`;
  const stop: Hook["act"] = ({ running }) => running.at(-1)?.signal("SIGTERM");
  const between = async (bench: Bench) => jump(bench);
  const late = { on, nth, do: "slow", ms: LATE_MS, late: true } as const;
  const reset = { on, nth, do: "reset" } as const;
  return [
    {
      name: "while a create is looked up",
      script: { faults: [reset] },
      // The first look after the plan's: the horizon has begun.
      hooks: [{ on: `GET ${path}`, nth: 2, moment: "arrived", act: jump }],
    },
    { name: "after a kill", hooks: [{ on, nth, moment: "passed", act: kill }], between },
    {
      name: "after a kill, committed late",
      script: { faults: [late] },
      hooks: [{ on, nth, moment: "arrived", act: kill }],
      front: () => laggingLists(LATE_BEHIND_MS),
      between,
    },
    {
      name: "after SIGTERM",
      script: { faults: [reset] },
      hooks: [{ on, nth, moment: "answered", act: stop }],
      between,
    },
  ];
}

/** Between the runs another server of the service answers, whose clock is 5 min ahead. */
function servedAhead(): Pick<Case, "front" | "between"> {
  let ahead = 0;
  return {
    front: () => {
      ahead = 0;
      return datesAhead(() => ahead, laggingLists(BEHIND_MS));
    },
    between: async () => {
      ahead = 300_000;
    },
  };
}

const serviceClockCases = SOME_CREATES.flatMap(({ at, create: [path, nth] = CREATES[0] }) =>
  twistsOf(path, nth, () => {})
    .filter(({ between, front }) => between !== undefined && front === undefined)
    .map(
      (twist): Case => ({
        ...twist,
        ...servedAhead(),
        group: "clocks",
        name: `the service 5 min forward ${twist.name}, at create ${at}`,
        lists: true,
        core: at === 6,
        words: SCALED,
        cleanWords: SCALED,
      }),
    ),
);

/** Clocks that jump where a create is open; the lists show it late. */
export const clockCases: readonly Case[] = Object.entries(JUMPS)
  .flatMap(([words, ms]) =>
    SOME_CREATES.flatMap(({ at, create: [path, nth] = CREATES[0] }) =>
      twistsOf(path, nth, ({ clockFile }) => writeFile(clockFile, `${ms}`)).map(
        (twist): Case => ({
          front: () => laggingLists(BEHIND_MS),
          ...twist,
          group: "clocks",
          name: `${words} ${twist.name}, at create ${at}`,
          lists: true,
          core: at === 6 && ms === JUMPS["2 h forward"],
          prepare: async ({ env, clockFile }) => {
            env[CLOCK_VARIABLE] = clockFile;
          },
          words: SCALED,
          cleanWords: SCALED,
        }),
      ),
    ),
  )
  .concat(serviceClockCases, {
    group: "clocks",
    name: "2 h forward while a list is waited for",
    lists: true,
    core: true,
    // Each run lists before it writes, and the first one afterwards, too.
    hooks: [
      {
        on: "GET topics",
        nth: 3,
        moment: "arrived",
        act: ({ clockFile }) => writeFile(clockFile, `${JUMPS["2 h forward"]}`),
      },
    ],
    // Until the look after that; within the horizon, however slow the machine is.
    front: () => listsBehindUntil("topics", 4, 25_000),
    prepare: async ({ env, clockFile }) => {
      env[CLOCK_VARIABLE] = clockFile;
    },
    faulted: async (bench) => {
      await bench.run([...APPLY, ...PATIENT]);
      await bench.run([...APPLY, ...PATIENT]);
    },
    exits: [0],
    cleanWords: SCALED,
  });
