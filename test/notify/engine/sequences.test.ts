import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sequences } from "./sequences.ts";
import { Simulation } from "./simulation.ts";

const RUNS = Number(process.env.AMP_PROPERTY_RUNS ?? 100);

describe("whatever is applied, killed, lost, listed late and changed by others", () => {
  it.each([
    ["with lists", true],
    ["without lists", false],
  ])("nothing is doubled, lost, or taken from others, %s", async (_, lists) => {
    await fc.assert(
      fc.asyncProperty(sequences({ lists }), async (sequence) => {
        const simulation = new Simulation(sequence);
        await simulation.run();
        expect(simulation.broken).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
