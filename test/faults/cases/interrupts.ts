import { setTimeout as pause } from "node:timers/promises";
import type { Moment } from "../../../src/sandbox/faults/faulty-sandbox.ts";
import type { Case } from "../case.ts";
import type { Bench } from "../workbench.ts";

/** Points of a run at which somebody presses Ctrl-C, as requests that are then under way. */
const POINTS: readonly (readonly [words: string, on: string, nth: number, moment: Moment])[] = [
  ["while it looks", "GET topics", 1, "arrived"],
  ["at the first create", "POST destinations", 1, "arrived"],
  ["at a topic, asked for", "POST topics", 1, "arrived"],
  ["at a topic, committed", "POST topics", 2, "passed"],
  ["at a topic, answered", "POST topics", 1, "answered"],
  ["at a route, asked for", "POST notification-event-topic-routes", 2, "arrived"],
  ["at a route, committed", "POST notification-event-topic-routes", 2, "passed"],
  ["at the last create, committed", "POST topic-destination-routes", 2, "passed"],
];

/** What is sent, and how such a run may end: by its code, or as one that was done already. */
const SIGNALS = {
  SIGINT: { words: "interrupted", exits: [130, 0] },
  SIGTERM: { words: "terminated", exits: [143, 0] },
} as const;

/** Long enough for a signal to be noticed while a request is under way. */
const NOTICE = 150;

function interrupt(name: NodeJS.Signals, times: 1 | 2) {
  return async ({ running }: Bench) => {
    const run = running.at(-1);
    for (let time = 0; time < times; time += 1) {
      run?.signal(name);
      await pause(NOTICE);
    }
  };
}

/** One and two signals, at each point. */
export const interruptCases: readonly Case[] = [true, false].flatMap((lists) =>
  POINTS.flatMap(([where, on, nth, moment], at) =>
    Object.entries(SIGNALS).flatMap(([name, { words, exits }]) =>
      ([1, 2] as const).map(
        (times): Case => ({
          group: "interrupts",
          name: `${words} ${times === 1 ? "once" : "twice"} ${where}`,
          lists,
          core: (at === 5 && (lists || times === 2)) || (at === 0 && !lists && times === 1),
          hooks: [{ on, nth, moment, act: interrupt(name as keyof typeof SIGNALS, times) }],
          // The second signal may end the process by itself.
          exits: times === 1 ? exits : [...exits, null],
        }),
      ),
    ),
  ),
);
