import type { Case } from "../case.ts";
import { CREATES } from "../routing.ts";
import type { Bench } from "../workbench.ts";

/** Where a create is when its process is killed: words, moment, and whether it comes about. */
const POINTS = [
  ["asked for, and in vain", "arrived", false],
  ["asked for", "arrived", true],
  ["committed", "passed", true],
  ["answered", "answered", true],
] as const;

/** Kills the run that goes on, and sees it gone. */
export async function kill({ running }: Bench): Promise<void> {
  const last = running.at(-1);
  last?.signal("SIGKILL");
  await last?.ended;
}

/** `kill -9` around each of the eight creates. */
export const requestCases: readonly Case[] = [true, false].flatMap((lists) =>
  POINTS.flatMap(([words, moment, commit]) =>
    CREATES.map(
      ([path, nth], at): Case => ({
        group: "requests",
        name: `killed with create ${at + 1} ${words}`,
        lists,
        core: at === 0 || at === 5,
        hooks: [{ on: `POST ${path}`, nth, moment, act: kill }],
        ...(commit
          ? {}
          : { script: { faults: [{ on: `POST ${path}`, nth, do: "reset", commit }] } }),
        exits: [null, 0],
      }),
    ),
  ),
);
