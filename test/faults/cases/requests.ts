import type { Case } from "../case.ts";
import { CREATES } from "../routing.ts";
import type { Bench } from "../workbench.ts";

/** Moments of a create, and what has come of it by then. */
const MOMENTS = {
  arrived: "asked for",
  passed: "committed",
  answered: "answered",
} as const;

/** Kills the run that goes on, and sees it gone. */
export async function kill({ running }: Bench): Promise<void> {
  const last = running.at(-1);
  last?.signal("SIGKILL");
  await last?.ended;
}

/** `kill -9` around each of the eight creates. */
export const requestCases: readonly Case[] = [true, false].flatMap((lists) =>
  Object.entries(MOMENTS).flatMap(([moment, words]) =>
    CREATES.map(
      ([path, nth], at): Case => ({
        group: "requests",
        name: `killed with create ${at + 1} ${words}`,
        lists,
        core: at === 0 || at === 5,
        hooks: [{ on: `POST ${path}`, nth, moment: moment as keyof typeof MOMENTS, act: kill }],
        exits: [null, 0],
      }),
    ),
  ),
);
