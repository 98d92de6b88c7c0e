import { describe, expect, it } from "vitest";
import { SEQUENCES } from "./all.ts";
import { randomSequence } from "./random.ts";
import { runWay, titleOf, type Way } from "./sequence.ts";

/** Some ways of them, by their titles. The whole of it: `npm run bench:faults -- sequences`. */
const QUICK = [
  "1: undo, apply at once (no lists)",
  "2: prune killed, and again (no lists, killed at DELETE topics/* 1, done now)",
  "4: an update, the file before at once (no lists)",
  "5: a topic renamed by a person and in the file (at once)",
  "6: the owner prunes what another file has, too (at once)",
  "9: a person's route on a topic keeps it from prune (at once)",
  "11: seed 10 (",
  "11: seed 33 (",
];

const kill = { on: "DELETE topics/*", nth: 1, done: "now", gets: "kill" } as const;
const WAYS = [...SEQUENCES, ...[10, 33].map(randomSequence)]
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
