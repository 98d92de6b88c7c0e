import { describe, expect, it } from "vitest";
import { isJavaScript, PROGRAM } from "../built.ts";
import { type Group, runCase, titleOf } from "./case.ts";
import { reducedMatrix } from "./matrix.ts";

/** What these find does not depend on the runtime: the program for Node shows it for both. */
const RUNTIME_INDEPENDENT = new Set<Group>(["shapes", "states", "routings", "drift", "lags"]);

// The whole of it is run by `npm run bench:faults`.
const CASES = reducedMatrix().filter(
  ({ group }) => isJavaScript(PROGRAM) || !RUNTIME_INDEPENDENT.has(group),
);

describe.concurrent("a faulted run, and a clean one after it", () => {
  it.each(CASES.map((one) => [titleOf(one), one] as const))("%s", async (_, one) => {
    const { duplicates, lost, why } = await runCase(one);
    expect({ duplicates, lost, why }).toEqual({ duplicates: 0, lost: 0, why: "" });
  });
});
