import { describe, expect, it } from "vitest";
import { runCase, titleOf } from "./case.ts";
import { reducedMatrix } from "./matrix.ts";

// The whole of it is run by `npm run bench:faults`.
const CASES = reducedMatrix();

describe.concurrent("a faulted run, and a clean one after it", () => {
  it.each(CASES.map((one) => [titleOf(one), one] as const))(
    "%s",
    { timeout: 120_000 },
    async (_, one) => {
      const { duplicates, lost, why } = await runCase(one);
      expect({ duplicates, lost, why }).toEqual({ duplicates: 0, lost: 0, why: "" });
    },
  );
});
