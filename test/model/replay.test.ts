import { expect, it } from "vitest";
import { WITH_LISTS } from "./configurations.ts";
import { replay } from "./replay.ts";
import { simulate } from "./traces.ts";

it("the engine does what the model of one resource does, in the same traces each time", async () => {
  const { isBroken, traces } = await simulate(WITH_LISTS, { traces: 60, written: 60, seed: 1 });
  expect(isBroken).toBe(false);
  expect(traces).toHaveLength(60);
  const steps = traces.flatMap((trace) => trace.map(({ action }) => action));
  expect(new Set(steps)).toEqual(
    new Set(
      "init refresh tick commit edit start look send answer lose kill person resolve".split(" "),
    ),
  );
  const problems = [];
  for (const trace of traces) problems.push(await replay(trace));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});
