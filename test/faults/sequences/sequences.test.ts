import { describe, expect, it } from "vitest";
import { SEQUENCES } from "./all.ts";
import { randomSequence } from "./random.ts";
import { runWay, titleOf, type Way } from "./sequence.ts";

/** One way of some sequences, by their titles. The whole of it: `npm run bench:faults -- sequences`. */
const QUICK = [
  "1: undo, apply at once (behind)",
  "1: prune, apply at once (two replicas, fresh first)",
  "3: DELETE now page, the file taken back (at once)",
  "4: an update, the file before at once (old values)",
  "5: a topic renamed by a person and in the file (at once)",
  "6: the owner drops a topic that another file has (no lists)",
  "8: applied twice (at once, without headers)",
];
const SEEDS = [1, 2];

const all = [...SEQUENCES, ...SEEDS.map(randomSequence)].flatMap((sequence): Way[] =>
  sequence.services.map((service) => ({ sequence, service })),
);
const WAYS = all.filter((way) => QUICK.includes(titleOf(way)) || way.sequence.group === 11);

describe.concurrent("a sequence of commands at a service that misbehaves", () => {
  it("is there for each title", () => expect(WAYS).toHaveLength(QUICK.length + SEEDS.length));

  it.each(WAYS.map((way) => [titleOf(way), way] as const))("%s", async (_, way) => {
    const { broken, exchange } = await runWay(way);
    expect(broken, exchange).toEqual([]);
  });
});
