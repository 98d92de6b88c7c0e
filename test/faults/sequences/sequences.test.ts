import { describe, expect, it } from "vitest";
import { SEQUENCES } from "./all.ts";
import { randomSequence } from "./random.ts";
import { runWay, titleOf, type Way } from "./sequence.ts";

/** Some ways of them, by their titles. The whole of it: `npm run bench:faults -- sequences`. */
const QUICK = [
  "1: undo, apply at once (deleted still shown)",
  "2: prune killed, the file taken back (no lists, killed at DELETE topics/* 1, done now)",
  "3: DELETE now page, the file taken back (at once)",
  "4: an update, the file before at once (old values)",
  "5: renamed, a stranger takes the old name (behind)",
  "6: a name taken over (at once)",
  "8: applied twice (at once, without headers)",
  "10: a topic made by command, apply at once (no lists)",
  "11: seed 2 (",
  "11: seed 5 (",
];

const kill = { on: "DELETE topics/*", nth: 1, done: "now", gets: "kill" } as const;
const WAYS = [...SEQUENCES, ...[2, 5].map(randomSequence)]
  .flatMap((sequence) => sequence.services.map((service) => ({ sequence, service })))
  .flatMap((way): Way[] => (way.sequence.steps.includes("! killed") ? [{ ...way, kill }] : [way]))
  .filter((way) => QUICK.some((title) => titleOf(way).startsWith(title)));

describe.concurrent("a sequence of commands at a service that misbehaves", () => {
  it("is there for each title", () => expect(WAYS).toHaveLength(QUICK.length));

  it.each(WAYS.map((way) => [titleOf(way), way] as const))("%s", async (_, way) => {
    const { broken, exchange } = await runWay(way);
    expect(broken, exchange).toEqual([]);
  });
});
