import type { Case } from "../case.ts";
import { laggingLists } from "../front.ts";
import { CREATES } from "../routing.ts";
import { APPLY } from "../workbench.ts";
import { kill } from "./requests.ts";

/** What a horizon of 60 s is here, and a second of it. */
const HORIZON_MS = 3_000;
const SECOND_MS = HORIZON_MS / 60;
/** Words of a run whose horizon is that. */
export const SCALED = [`AMP_COMMIT_HORIZON=${HORIZON_MS}ms`];
/** One of each kind; the second topic and the third event route. */
export const SOME_CREATES = [0, 2, 5, 7].map((at) => ({ at: at + 1, create: CREATES[at] }));

type Twist = Pick<Case, "name" | "script" | "hooks" | "faulted" | "words" | "cleanWords">;

const twists: readonly Twist[] = [
  ...SOME_CREATES.flatMap(({ at, create: [path, nth] = CREATES[0] }): Twist[] => {
    const on = `POST ${path}`;
    return [
      {
        name: `reset after commit, at create ${at}`,
        script: { faults: [{ on, nth, do: "reset" }] },
      },
      {
        name: `500 after commit, at create ${at}`,
        script: { faults: [{ on, nth, do: "status", status: 500 }] },
      },
      {
        name: `killed with create ${at} committed`,
        hooks: [{ on, nth, moment: "passed", act: kill }],
      },
    ];
  }),
  {
    name: "run twice",
    faulted: async (bench) => {
      await bench.run([...APPLY, ...SCALED]);
      await bench.run([...APPLY, ...SCALED]);
    },
  },
  { name: "run again with --accept recreate", cleanWords: ["--accept", "recreate"] },
];

/** Lists that show nothing before its time, and show all of it within a horizon. */
export const lagCases: readonly Case[] = [1, 10, 20, 40, 58].flatMap((seconds) =>
  twists.map(
    ({ words = [], cleanWords = [], ...twist }): Case => ({
      ...twist,
      group: "lags",
      name: `${seconds} s: ${twist.name}`,
      lists: true,
      core: seconds === 40 && /create 6|recreate/u.test(twist.name),
      front: () => laggingLists(seconds * SECOND_MS),
      words: [...SCALED, ...words],
      cleanWords: [...SCALED, ...cleanWords],
    }),
  ),
);
